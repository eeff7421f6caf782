//! Two structs that declare the same resource name. `Api::build` reports the struct that is wrong.

use nouns_runtime::{
    Api,
    def::{DefaultDef, FieldDef, FieldKind, Literal, ResourceDef},
};

use crate::{
    hooks::{
        bed::Audit,
        pen::{Pen, Twin},
    },
    store::bed::leaked,
    typed::zoo::Zoo,
};

fn problems(api: Api) -> String {
    api.build().map_or_else(|error| error.to_string(), |_| String::new())
}

#[test]
fn hooks_of_two_structs_of_one_resource_do_not_replace_each_other() {
    let api = Api::new("Audits").resource::<Audit>();
    let api = api.hooks::<Audit>(|hooks| hooks.within_delete(|_, _| Ok(())));
    assert_eq!(
        problems(api.hooks::<Twin<true>>(|hooks| hooks)),
        "N090: two structs that declare `audit` have hooks; declare `audit` once\n"
    );
}

#[test]
fn a_resource_points_at_the_struct_that_is_served() {
    assert_eq!(problems(Api::new("Zoos").resource::<Zoo>().resource::<Pen>()), "");
    assert_eq!(
        problems(Api::new("Zoos").resource::<Twin<false>>().resource::<Pen>()),
        "N090: resource `pen`: the resource refers to a declaration of `zoo` that is not part of this API; declare `zoo` once\n"
    );
}

#[test]
fn structs_of_one_name_are_told_apart() {
    assert_eq!(
        problems(Api::new("Zoos").resource::<Zoo>().resource::<Twin<false>>()),
        "N011: resource `zoo`: `zoo` is declared a second time here; keep one of the two, \
         or give one of the structs, `main::typed::zoo::Zoo` or `main::hooks::pen::Twin<false>`, \
         a name of its own: `#[resource(name = \"…\")]`\n"
    );
}

#[test]
fn a_default_that_is_not_listed_comes_with_the_list() {
    let problems = |default| {
        let fields = leaked([FieldDef {
            choices: &[Literal::String("open"), Literal::String("closed")],
            default: Some(DefaultDef::Value(Literal::String(default))),
            ..FieldDef::new("state", FieldKind::String)
        }]);
        let def = leaked(ResourceDef { fields, ..ResourceDef::new("bird", "birds", "Bird") });
        let api = nouns_runtime::def::ApiDef {
            resources: leaked([def]),
            ..nouns_runtime::def::ApiDef::new("")
        };
        nouns_runtime::Model::link(leaked(api)).unwrap_err().to_string()
    };
    let start = "N045: resource `bird`: field `state`: `default` is";
    assert_eq!(
        problems("Open"),
        format!(
            "{start} `Open`, which `enum` does not list (it has `open`, `closed`; `open` is near); change one of them\n"
        )
    );
    assert_eq!(
        problems("x"),
        format!(
            "{start} `x`, which `enum` does not list (it has `open`, `closed`); change one of them\n"
        )
    );
}

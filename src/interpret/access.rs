//! The conversion of accounts and access rules to definitions.

use super::{list, literal, optional, text, texts};
use nouns_codegen::schema::{Access, Auth, FieldAccess, Jwt, Operand, Rule, Session, Test};
use nouns_runtime::def::{
    AccessDef, AuthDef, ClaimDef, FieldAccessDef, JwtDef, OperandDef, RuleDef, SessionDef, TestDef,
};

/// Returns the definition of the accounts.
pub(super) fn auth_def(auth: &Auth) -> AuthDef {
    AuthDef {
        accounts: text(&auth.accounts),
        login: text(&auth.login),
        password: text(&auth.password),
        role: optional(auth.role.as_deref()),
        realm: text(&auth.realm),
        schemes: list(&auth.schemes, |scheme| *scheme),
        confirm_seconds: auth.confirm_seconds,
        session: session_def(&auth.session),
        jwt: auth.jwt.as_ref().map(jwt_def),
    }
}

fn jwt_def(jwt: &Jwt) -> JwtDef {
    JwtDef {
        keys: text(&jwt.keys),
        issuer: text(&jwt.issuer),
        audience: text(&jwt.audience),
        claims: list(&jwt.claims, |(field, claim)| ClaimDef {
            field: text(field),
            claim: text(claim),
        }),
    }
}

fn session_def(session: &Session) -> SessionDef {
    SessionDef {
        store: session.store,
        ttl_seconds: session.ttl_seconds,
        idle_seconds: session.idle_seconds,
        cookie: text(&session.cookie),
        domain: optional(session.domain.as_deref()),
        path: text(&session.path),
        secure: session.secure,
        http_only: session.http_only,
        same_site: session.same_site,
        url_parameter: optional(session.url_parameter.as_deref()),
        form_field: optional(session.form_field.as_deref()),
    }
}

/// Returns the definition of the access rules of a resource.
pub(super) fn access_def(access: &Access) -> AccessDef {
    AccessDef {
        read: access.read.as_ref().map(rule_def),
        create: access.create.as_ref().map(rule_def),
        update: access.update.as_ref().map(rule_def),
        delete: access.delete.as_ref().map(rule_def),
    }
}

/// Returns the definition of the access rules of a field.
pub(super) fn field_access_def(access: &FieldAccess) -> FieldAccessDef {
    FieldAccessDef {
        read: access.read.as_ref().map(rule_def),
        write: access.write.as_ref().map(rule_def),
    }
}

fn rule_def(rule: &Rule) -> RuleDef {
    match rule {
        Rule::Public => RuleDef::Public,
        Rule::SignedIn => RuleDef::SignedIn,
        Rule::Role(roles) => RuleDef::Role(texts(roles)),
        Rule::Test(test) => RuleDef::Test(test_def(test)),
        Rule::All(rules) => RuleDef::All(list(rules, rule_def)),
        Rule::Any(rules) => RuleDef::Any(list(rules, rule_def)),
        Rule::Not(rule) => RuleDef::Not(Box::leak(Box::new([rule_def(rule)]))),
    }
}

fn test_def(test: &Test) -> TestDef {
    let operand = match &test.operand {
        Operand::Null => OperandDef::Null,
        Operand::Value(value) => OperandDef::Value(literal(value)),
        Operand::Values(values) => OperandDef::Values(list(values, literal)),
        Operand::Now => OperandDef::Now,
        Operand::Account(field) => OperandDef::Account(text(field)),
    };
    TestDef { path: text(&test.path), op: test.op, operand }
}

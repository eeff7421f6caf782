//! Tests of `nouns access`.

use std::{path::Path, process::Output};

use super::{nouns, stderr, stdout};
use crate::access::BLOG;

fn access(folder: &Path, arguments: &[&str]) -> Output {
    nouns(folder).arg("access").args(arguments).output().unwrap()
}

const STAFF: &str = "
nouns: 1
auth: { accounts: user, login: login }
resources:
  user:
    fields:
      login: { type: string, required: true, unique: true }
      password: { type: password, required: true }
      role: { enum: [reader, hr, admin], required: true, default: reader, access: { write: { role: admin } } }
    access:
      read: { not: { where: { login: { contains: x } } } }
      update: { where: { id: $account.id } }
  person:
    methods: [list, get, create]
    fields:
      name: { type: string, required: true, access: { write: { role: [hr, admin] } } }
      salary: { type: integer, access: { read: { role: hr } } }
      pin: { type: string, access: { read: { role: admin }, write: signed_in } }
    access:
      read: { any: [{ role: hr }, { where: { name: [a, b], salary: { lt: 5 } } }, { where: { pin: null } }] }
      create: public
";

const ALL: &str = "\
user       anonymous  signed_in  role:admin  role:hr
  read     (1)        (1)        (1)         (1)
  create   no         yes        yes         yes
  update   no         (2)        (2)         (2)
  delete   no         yes        yes         yes
  .role    read       read       yes         read
  (1) where not (login contains x)
  (2) where id = $account.id

person     anonymous  signed_in  role:admin  role:hr
  read     (1)        (1)        (1)         yes
  create   no         no         yes         yes
  update   -          -          -           -
  delete   -          -          -           -
  .name    read       read       yes         yes
  .salary  no         no         no          yes
  .pin     no         write      yes         write
  (1) where (name in [a, b] and salary < 5) or pin = null
";

const HR: &str = "\
as role:hr

user
  read    where not (login contains x)
  create  yes
  update  where id = $account.id
  delete  yes
  may not write: role

person
  read    yes
  create  yes
  update  -
  delete  -
  may not read: pin
";

const ANONYMOUS: &str = "\
as anonymous

user
  read    where not (login contains x)
  create  no
  update  no
  delete  no
  may not write: role

person
  read    where (name in [a, b] and salary < 5) or pin = null
  create  no
  update  -
  delete  -
  may not read: salary, pin
  may not write: name, salary, pin
";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("staff.yaml"), STAFF).unwrap();
    std::fs::write(folder.path().join("blog.yaml"), BLOG).unwrap();
    folder
}

#[test]
fn all_classes_of_callers_are_columns() {
    let folder = folder();
    let printed = stdout(&access(folder.path(), &["staff.yaml"]));
    assert_eq!(printed, ALL);
}

#[test]
fn one_class_has_its_conditions_written_out() {
    let folder = folder();
    let of = |class: &str| stdout(&access(folder.path(), &["staff.yaml", "--as", class]));
    assert_eq!(of("role:hr"), HR);
    assert_eq!(of("anonymous"), ANONYMOUS);
    // A role that no rule names may do what everybody may who is signed in.
    assert_eq!(of("role:reader").replace("role:reader", "signed_in"), of("signed_in"),);
}

#[test]
fn a_caller_that_does_not_exist_is_one_sentence() {
    let folder = folder();
    for (class, message) in [
        ("role:hrr", "error: there is no role `hrr`; the roles are `admin`, `hr`, `reader`\n"),
        ("hr", "error: a role is written `--as role:hr`\n"),
        ("nobody", "error: `--as nobody`: callers are `anonymous`, `signed_in` or `role:NAME`\n"),
    ] {
        let output = access(folder.path(), &["staff.yaml", "--as", class]);
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(1), message));
    }
}

/// A member is readable only below a readable parent, so the line of the child says so.
#[test]
fn a_child_follows_its_parent() {
    let folder = folder();
    let yaml = "
nouns: 1
auth: { accounts: user, login: login }
resources:
  user:
    fields: { login: { type: string, required: true, unique: true }, password: { type: password, required: true } }
    access: { read: { where: { id: $account.id } } }
  post: { parent: user, fields: { text: string }, access: { read: public } }
  draft: { parent: { resource: user, required: false }, routes: both, fields: { day: date }, access: { read: { where: { day: { lt: $now } } } } }
  line: { parent: draft, fields: { text: string } }
";
    std::fs::write(folder.path().join("below.yaml"), yaml).unwrap();
    let printed = stdout(&access(folder.path(), &["below.yaml", "--as", "signed_in"]));
    let reads: Vec<_> = printed.lines().filter(|line| line.starts_with("  read")).collect();
    assert_eq!(
        reads,
        [
            "  read    where id = $account.id",
            "  read    where user_id = $account.id",
            "  read    where day < $now and (user_id = null or user_id = $account.id)",
            "  read    where draft.day < $now and (draft.user_id = null or draft.user_id = $account.id)",
        ]
    );
    let printed = stdout(&access(folder.path(), &["below.yaml", "--as", "anonymous"]));
    let reads: Vec<_> = printed.lines().filter(|line| line.starts_with("  read")).collect();
    let of_draft = "  read    where day < $now and user_id = null";
    assert_eq!(reads, ["  read    no", "  read    no", of_draft, "  read    no"]);
}

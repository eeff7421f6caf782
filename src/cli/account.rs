//! `nouns account`: adds accounts, sets their passwords, and lists them.

use std::{
    io::{self, IsTerminal, Read},
    path::PathBuf,
    sync::Arc,
};

use clap::{Args, Subcommand};
use nouns_runtime::{Error, Model, Store, StoreOptions};

use super::{Failure, print, schema_file};

/// The maximum length of a password on standard input, in bytes. No password field is longer.
const PASSWORD_BYTES_MAX: u64 = 64 * 1024;

/// The number of accounts that are read at once.
const LISTED_AT_ONCE: u32 = 1000;

const EXAMPLES: &str = "Examples:
  nouns account add newsroom.yaml ada@example.org --set name=Ada --set role=admin
  nouns account list newsroom.yaml";

#[derive(Debug, Subcommand)]
#[command(after_help = EXAMPLES)]
pub(super) enum Account {
    /// Add an account.
    Add(Add),
    /// Set the password of an account.
    Password(Password),
    /// List the accounts: id, login and role.
    List(List),
}

const ADD_EXAMPLES: &str = "Examples:
  nouns account add newsroom.yaml ada@example.org --set name=Ada --set role=admin
  pass show newsroom | nouns account add newsroom.yaml kim@example.org --password-stdin";

#[derive(Args, Debug)]
#[command(after_help = ADD_EXAMPLES)]
pub(super) struct Add {
    #[command(flatten)]
    of: Accounts,
    /// The name that the caller will sign in with.
    #[arg(value_name = "LOGIN")]
    login: String,
    /// A further field of the account; it may be one that clients cannot set, such as a role.
    #[arg(long, value_name = "FIELD=VALUE", value_parser = assignment)]
    set: Vec<(String, String)>,
    #[command(flatten)]
    password: PasswordSource,
}

const PASSWORD_EXAMPLES: &str = "Examples:
  nouns account password newsroom.yaml ada@example.org";

#[derive(Args, Debug)]
#[command(after_help = PASSWORD_EXAMPLES)]
pub(super) struct Password {
    #[command(flatten)]
    of: Accounts,
    /// The name that the caller signs in with.
    #[arg(value_name = "LOGIN")]
    login: String,
    #[command(flatten)]
    password: PasswordSource,
}

const LIST_EXAMPLES: &str = "Examples:
  nouns account list newsroom.yaml";

#[derive(Args, Debug)]
#[command(after_help = LIST_EXAMPLES)]
pub(super) struct List {
    #[command(flatten)]
    of: Accounts,
}

/// The database whose accounts are meant.
#[derive(Args, Debug)]
struct Accounts {
    /// The schema file.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The SQLite database [default: the value in the schema, or the name of the schema file
    /// with `.db`, in the working directory].
    #[arg(long, value_name = "FILE", env = "NOUNS_DATABASE")]
    database: Option<PathBuf>,
}

/// Where the password comes from.
#[derive(Args, Debug)]
struct PasswordSource {
    /// Read the password from standard input; one line feed at its end is removed. Without this,
    /// the terminal asks for it.
    #[arg(long)]
    password_stdin: bool,
}

impl Account {
    pub(super) fn run(self) -> Result<(), Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        match self {
            Self::Add(Add { of, login, set, password }) => {
                let store = of.open()?;
                let password = password.read("Password: ")?;
                let added = runtime.block_on(store.add_account(&login, &password, &set));
                let added = added.map_err(|error| failure(&error))?;
                print(&format!("added account `{}` with the id {}\n", added.login, added.id));
                runtime.block_on(store.close());
            }
            Self::Password(Password { of, login, password }) => {
                let store = of.open()?;
                let password = password.read("New password: ")?;
                let set = runtime.block_on(store.set_password(&login, &password));
                print(&format!(
                    "set the password of `{}`\n",
                    set.map_err(|error| failure(&error))?.login
                ));
                runtime.block_on(store.close());
            }
            Self::List(List { of }) => {
                let store = of.open()?;
                runtime.block_on(list(&store)).map_err(|error| failure(&error))?;
                runtime.block_on(store.close());
            }
        }
        Ok(())
    }
}

/// Prints a line for each account: its id, its login and its role, with tabs between them.
async fn list(store: &Store) -> Result<(), Error> {
    let mut offset = 0;
    loop {
        let accounts = store.accounts(offset, LISTED_AT_ONCE).await?;
        for one in &accounts {
            let role = one.role.as_deref().unwrap_or_default();
            print(format!("{}\t{}\t{role}", one.id, one.login).trim_end());
            print("\n");
        }
        if accounts.len() < LISTED_AT_ONCE as usize {
            return Ok(());
        }
        offset += u64::from(LISTED_AT_ONCE);
    }
}

impl Accounts {
    fn open(&self) -> Result<Store, Failure> {
        let schema = schema_file::read(&self.file)?;
        if schema.auth.is_none() {
            return Err(Failure(format!(
                "error: `{}` has no accounts; declare them with `auth`",
                self.file.display()
            )));
        }
        let model: Arc<Model> = schema_file::model(&schema)?;
        let database = schema_file::database(self.database.clone(), &schema, &self.file);
        let opened = Store::open(&model, &StoreOptions::new(database).apply(false));
        opened.map(|(store, _)| store).map_err(|error| Failure(format!("error: {error}")))
    }
}

impl PasswordSource {
    fn read(&self, prompt: &str) -> Result<String, Failure> {
        if self.password_stdin {
            let mut text = String::new();
            io::stdin().take(PASSWORD_BYTES_MAX).read_to_string(&mut text)?;
            let line = text.strip_suffix('\n').unwrap_or(&text);
            return Ok(line.strip_suffix('\r').unwrap_or(line).to_owned());
        }
        if !io::stdin().is_terminal() {
            return Err(Failure(
                "error: there is no terminal to ask for the password; use `--password-stdin`"
                    .to_owned(),
            ));
        }
        let password = rpassword::prompt_password(prompt)?;
        match rpassword::prompt_password("Again: ")? == password {
            true => Ok(password),
            false => Err(Failure("error: the two passwords differ".to_owned())),
        }
    }
}

/// The message of an error of the store. The cause of an internal error is part of it, since the
/// operator is meant to read it.
fn failure(error: &Error) -> Failure {
    match error.source() {
        Some(cause) => Failure(format!("error: {error} ({cause})")),
        None => Failure(format!("error: {error}")),
    }
}

fn assignment(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .filter(|(name, _)| !name.is_empty())
        .ok_or("write it as `field=value`, such as `role=admin`")?;
    Ok((name.to_owned(), value.to_owned()))
}

//! `nouns serve --mock`: fills empty collections with plausible members.
//!
//! The members are created by requests to the service itself, in the process. So each is valid for
//! the schema: what the service refuses is tried again with other values.

mod pattern;
mod progress;
mod random;
mod rows;
mod values;
mod words;

use std::{collections::HashMap, sync::Arc};

use http::{Method, Request, StatusCode, header};
use nouns_codegen::schema::{FieldMode, Operation, Routes, Schema};
use nouns_runtime::{
    Body, Caller, Model, Service, Store,
    model::{ResourceIx, ResourceModel},
};
use serde_json::Value as Json;

use self::{progress::Progress, random::Random, rows::RowMaker, values::PASSWORD};
use super::{Failure, complain};
use crate::interpret;

/// The maximum number of members that are made for a resource below all parents together, unless
/// more are wanted below one. Else the number would grow with each level: 20 below each are 160,000
/// on the fourth.
const MEMBERS_MAX: usize = 10_000;

/// The number of members in a request.
const BATCH: usize = 50;

/// The number of times that a member is tried with other values.
const TRIES_MAX: usize = 20;

/// The options for filling the empty collections of a store.
pub(super) struct MockOrder {
    /// The number of members of a collection, or of a collection below each parent.
    pub(super) count: usize,
    /// The seed of the values.
    pub(super) seed: u64,
    /// Whether accounts are made. Everybody knows their password, so a database that stays gets
    /// none.
    pub(super) has_accounts: bool,
}

/// Fills each empty collection of a store. Returns the store for the model of the schema.
pub(super) async fn fill(
    store: &Store,
    schema: &Schema,
    MockOrder { count, seed, has_accounts }: MockOrder,
) -> Result<Store, Failure> {
    let model = Arc::clone(store.model());
    let open = Arc::new(Model::link(interpret::api_def(&opened(schema)))?);
    let (opened, _) = store.with_model(&open, true)?;
    let mut filler = Filler {
        service: Service::with_cache(opened, 0),
        model: &open,
        members: HashMap::new(),
        random: Random::of(seed),
        count,
        progress: Progress::begin(),
        has_accounts,
        has_new_accounts: false,
    };
    filler.run().await?;
    if filler.has_new_accounts {
        complain(&format!("the accounts that were made have the password `{PASSWORD}`"));
    }
    let (store, _) = store.with_model(&model, true)?;
    Ok(store)
}

/// The schema with all methods, and with fields that every request may set. Its tables are the
/// same.
fn opened(schema: &Schema) -> Schema {
    let mut schema = schema.clone();
    for resource in &mut schema.resources {
        resource.methods = vec![Operation::List, Operation::Get, Operation::Create];
        resource.moved_to = None;
        for field in &mut resource.fields {
            field.mode = FieldMode::ReadWrite;
        }
    }
    schema
}

/// A member that is stored.
#[derive(Clone, Debug)]
struct StoredMember {
    id: Json,
    /// The path of its URL. `None` if the id has characters that a URL does not have.
    path: Option<String>,
}

/// A collection: its resource, its URL, and the member that it is below.
struct MockedCollection<'m> {
    resource: &'m ResourceModel,
    /// The path of the URL, below which members have theirs.
    path: String,
    /// The parameters of a list, which select the members of the parent at a flat URL.
    query: String,
    parent: Option<Json>,
}

/// Fills the collections of a model, one after the other.
struct Filler<'m> {
    service: Service,
    model: &'m Model,
    /// The members of each resource that is done.
    members: HashMap<ResourceIx, Vec<StoredMember>>,
    random: Random,
    count: usize,
    progress: Progress,
    has_accounts: bool,
    has_new_accounts: bool,
}

impl<'m> Filler<'m> {
    /// Fills each resource after those that it needs. The check of a schema refuses cycles.
    async fn run(&mut self) -> Result<(), Failure> {
        let mut left: Vec<&ResourceModel> = self.model.resources().iter().collect();
        loop {
            let is_ready = |resource: &&ResourceModel| {
                needed(resource).all(|target| self.members.contains_key(&target))
            };
            let Some(at) = left.iter().position(is_ready) else { break };
            self.fill(left.remove(at)).await?;
        }
        Ok(())
    }

    /// Fills each empty collection of a resource.
    async fn fill(&mut self, resource: &'m ResourceModel) -> Result<(), Failure> {
        let collections = self.collections(resource);
        let count = self.below_each(resource, collections.len());
        let mut rows = RowMaker::new(resource);
        let mut members = vec![];
        for collection in collections {
            let stored = self.stored(&collection).await?;
            let is_empty = stored.is_empty();
            members.extend(stored);
            let accounts = self.model.accounts.as_ref();
            let is_account = accounts.is_some_and(|one| one.resource == resource.ix);
            if is_empty && is_account && !self.has_accounts {
                complain("no accounts were made: their password is known, and the database stays");
            } else if is_empty {
                members.extend(self.create(&mut rows, &collection, count).await?);
                self.progress.report(resource.def.collection, members.len());
                self.has_new_accounts |= is_account;
            }
        }
        self.members.insert(resource.ix, members);
        Ok(())
    }

    /// The number of members that are made below each of `parents` members. A smaller number than
    /// that of the order is reported.
    fn below_each(&self, resource: &ResourceModel, parents: usize) -> usize {
        let count = share(self.count, parents);
        if let (true, Some((parent, _))) = (count < self.count, resource.parent) {
            let (name, parent) = (resource.def.collection, self.model[parent].def.name);
            complain(&format!(
                "--mock makes {count} `{name}` for each of {parents} `{parent}`, and not {}: \
                 that would be more than {MEMBERS_MAX}",
                self.count
            ));
        }
        count
    }

    /// The collections of a resource: one, or one below each parent.
    fn collections(&self, resource: &'m ResourceModel) -> Vec<MockedCollection<'m>> {
        let name = resource.def.collection;
        let flat = self.model.urls.local(&format!("/{name}"));
        let Some((above, field)) = resource.parent else {
            let (path, query) = (flat, String::new());
            return vec![MockedCollection { resource, path, query, parent: None }];
        };
        let field = &resource[field].name;
        let below = |parent: &StoredMember| {
            let above = parent.path.as_ref()?;
            let (path, query) = match resource.def.routes {
                Routes::Flat => {
                    let id = above.rsplit('/').next().unwrap_or_default();
                    (flat.clone(), format!("&filter[{field}]={id}"))
                }
                _ => (format!("{above}/{name}"), String::new()),
            };
            Some(MockedCollection { resource, path, query, parent: Some(parent.id.clone()) })
        };
        self.members.get(&above).into_iter().flatten().filter_map(below).collect()
    }

    /// Creates members of a collection.
    async fn create(
        &mut self,
        rows: &mut RowMaker<'_>,
        collection: &MockedCollection<'_>,
        count: usize,
    ) -> Result<Vec<StoredMember>, Failure> {
        let mut members = Vec::with_capacity(count);
        let mut left = count;
        while left > 0 {
            let size = left.min(BATCH);
            left -= size;
            let parent = collection.parent.as_ref();
            let batch: Option<Vec<_>> =
                (0..size).map(|_| rows.row(&mut self.random, &self.members, parent)).collect();
            if let Some(batch) = batch {
                let (status, answer) = self.post(collection, &Json::Array(batch)).await?;
                if status == StatusCode::CREATED {
                    members.extend(collection.members(&answer));
                    continue;
                }
            }
            for _ in 0..size {
                match self.create_one(rows, collection).await? {
                    Some(member) => members.push(member),
                    None => return Ok(members),
                }
            }
        }
        Ok(members)
    }

    /// Creates a member. Returns `None` if each try was refused, which is reported.
    async fn create_one(
        &mut self,
        rows: &mut RowMaker<'_>,
        collection: &MockedCollection<'_>,
    ) -> Result<Option<StoredMember>, Failure> {
        let mut problem = Json::Null;
        for _ in 0..TRIES_MAX {
            let parent = collection.parent.as_ref();
            let Some(row) = rows.row(&mut self.random, &self.members, parent) else { continue };
            let (status, answer) = self.post(collection, &row).await?;
            if status == StatusCode::CREATED {
                return Ok(collection.member(&answer));
            }
            problem = answer;
        }
        rows.report(problem["detail"].as_str());
        Ok(None)
    }

    /// The members that a collection has, up to a page.
    async fn stored(
        &self,
        collection: &MockedCollection<'_>,
    ) -> Result<Vec<StoredMember>, Failure> {
        let MockedCollection { resource, path, query, .. } = collection;
        let target = format!("{path}?limit={}{query}", resource.page.maximum);
        let (status, answer) = self.send(Method::GET, &target, String::new()).await?;
        if status != StatusCode::OK {
            let detail = answer["detail"].as_str().unwrap_or("it has no detail");
            return Err(Failure(format!("error: `{path}` could not be read: {detail}")));
        }
        Ok(collection.members(&answer))
    }

    async fn post(
        &self,
        collection: &MockedCollection<'_>,
        body: &Json,
    ) -> Result<(StatusCode, Json), Failure> {
        self.send(Method::POST, &collection.path, body.to_string()).await
    }

    /// Sends a request as the program itself, for which there are no access rules.
    async fn send(
        &self,
        method: Method,
        target: &str,
        body: String,
    ) -> Result<(StatusCode, Json), Failure> {
        let request = Request::builder()
            .method(method)
            .uri(target)
            .header(header::CONTENT_TYPE, "application/json")
            .extension(Caller::System)
            .body(Body::from(body.into_bytes()))?;
        let reply = self.service.reply(request).await;
        let Body::Full(bytes) = &reply.body else { return Ok((reply.status, Json::Null)) };
        Ok((reply.status, serde_json::from_slice(bytes)?))
    }
}

/// The number of members below each of some parents, so that all together are not too many.
fn share(count: usize, parents: usize) -> usize {
    let most = count.max(MEMBERS_MAX);
    count.min((most / parents.max(1)).max(1))
}

/// The resources that every member of a resource refers to. One that refers to itself can be
/// created only if the reference is optional.
fn needed(resource: &ResourceModel) -> impl Iterator<Item = ResourceIx> {
    let required = resource.fields.iter().filter(|field| field.required);
    let parent = resource.parent.map(|(parent, _)| parent);
    required.filter_map(|field| field.target).chain(parent)
}

impl MockedCollection<'_> {
    /// The members in a response.
    fn members(&self, answer: &Json) -> Vec<StoredMember> {
        let items = answer["items"].as_array();
        items.into_iter().flatten().filter_map(|member| self.member(member)).collect()
    }

    fn member(&self, member: &Json) -> Option<StoredMember> {
        let id = member.get("id")?.clone();
        let text = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        let path = text.chars().all(is_plain).then(|| format!("{}/{text}", self.path));
        Some(StoredMember { id, path })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_members_does_not_grow_with_each_level() {
        for (count, parents, expected) in [
            (20, 1, 20),
            (20, 400, 20),
            (20, 500, 20),
            (20, 501, 19),
            (20, 8_000, 1),
            (20, 50_000, 1),
            (60_000, 1, 60_000),
            (60_000, 60_000, 1),
            (5, 0, 5),
        ] {
            assert_eq!(share(count, parents), expected, "{count} below {parents}");
        }
    }
}

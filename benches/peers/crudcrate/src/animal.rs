//! The animals of a zoo.

use chrono::{DateTime, NaiveDate, Utc};
use crudcrate::EntityToModels;
use sea_orm::entity::prelude::*;

/// A row of the table `animals`.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel, EntityToModels)]
#[sea_orm(table_name = "animals")]
#[crudcrate(api_struct = "Animal", generate_router)]
pub struct Model {
    #[sea_orm(primary_key)]
    #[crudcrate(primary_key, exclude(create, update))]
    pub id: i32,
    #[crudcrate(filterable)]
    pub zoo_id: i32,
    #[crudcrate(filterable, sortable)]
    pub name: String,
    #[crudcrate(filterable)]
    pub animal_type_id: i32,
    pub weight_kg: Option<f64>,
    pub born: Option<NaiveDate>,
    #[crudcrate(exclude(create, update), on_create = Utc::now())]
    pub created_at: DateTime<Utc>,
    #[crudcrate(exclude(create, update), on_create = Utc::now(), on_update = Utc::now())]
    pub updated_at: DateTime<Utc>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

"""The zoo of `schemas/zoo.yaml`, with the indexes of the benchmark."""

from django.db import models


class Times(models.Model):
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        abstract = True


class Zoo(Times):
    name = models.CharField(max_length=80, unique=True)
    city = models.CharField(max_length=255, null=True, db_index=True)
    opened = models.DateField(null=True)

    class Meta:
        db_table = "zoos"


class AnimalType(Times):
    name = models.CharField(max_length=255, unique=True)

    class Meta:
        db_table = "animal_types"


class Animal(Times):
    # The indexes below begin with it.
    zoo = models.ForeignKey(Zoo, on_delete=models.RESTRICT, db_index=False)
    name = models.CharField(max_length=255)
    animal_type = models.ForeignKey(AnimalType, on_delete=models.RESTRICT)
    weight_kg = models.FloatField(null=True)
    born = models.DateField(null=True)

    class Meta:
        db_table = "animals"
        indexes = [
            models.Index(fields=["name"]),
            models.Index(fields=["zoo", "name"]),
            models.Index(fields=["zoo", "animal_type", "name"]),
        ]

"""The interface: one view set for each model."""

from django.core.validators import MinValueValidator
from rest_framework import routers, serializers, viewsets

from .models import Animal, AnimalType, Zoo


class ZooSerializer(serializers.ModelSerializer):
    class Meta:
        model = Zoo
        fields = ["id", "name", "city", "opened", "created_at", "updated_at"]


class AnimalSerializer(serializers.ModelSerializer):
    zoo_id = serializers.PrimaryKeyRelatedField(source="zoo", queryset=Zoo.objects.all())
    animal_type_id = serializers.PrimaryKeyRelatedField(
        source="animal_type", queryset=AnimalType.objects.all()
    )
    weight_kg = serializers.FloatField(
        required=False, allow_null=True, validators=[MinValueValidator(0)]
    )

    class Meta:
        model = Animal
        fields = [
            "id", "zoo_id", "name", "animal_type_id", "weight_kg", "born", "created_at",
            "updated_at",
        ]


class Zoos(viewsets.ModelViewSet):
    queryset = Zoo.objects.all()
    serializer_class = ZooSerializer
    ordering = ["id"]


class Animals(viewsets.ModelViewSet):
    queryset = Animal.objects.all()
    serializer_class = AnimalSerializer
    filterset_fields = ["zoo_id", "animal_type_id"]
    ordering_fields = ["name"]
    ordering = ["name"]


router = routers.DefaultRouter()
router.register("zoos", Zoos)
router.register("animals", Animals)
urlpatterns = router.urls

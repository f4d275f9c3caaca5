"""The engine for a cluster. Nothing outside this package imports pyspark."""

from pagekin.engines.spark.engine import SparkEngine

__all__ = ["SparkEngine"]

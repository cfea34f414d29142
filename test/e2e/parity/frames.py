"""Windows of the official SDK's frames, cut by pandas, as exact JSON.

Reads one JSON list of requests on stdin and writes one JSON list of answers to stdout:
    request  {"kind": "time_series" | "steps" | "cycles" | "data", "id": id, "columns": [...] | null,
              "where": [{"column", "op", "value"}, ...], "offset": n, "limit": n}
    answer   {"columns": [...], "dtypes": {...}, "total_rows": n, "total_columns": n, "matched_rows": n,
              "data": {column: [values]}, "row_numbers": [...], "stats": {column: {...}}}
Floats are written in their shortest exact form, null and NaN as null. Row numbers count from 0 in the whole table.
The SDK is used unchanged and configured by its own variables.
"""

import json
import math
import operator
import sys

import ionworks
import pandas as pd
from ionworks import Ionworks

OPERATORS = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda column, value: column.isin(value),
    "is_null": lambda column, _: column.isna(),
}
DTYPES = {"Int64": "int64", "Float64": "float64", "String": "string", "Boolean": "bool"}


def reader(client, kind):
    if kind == "data":
        return client.material_property_dataset.get_data
    return getattr(client.cell_measurement, kind)


def load(client, kind, id_):
    """The frame by pandas, and its column types in pandas' words from the polars frame (pandas turns integers with
    gaps into floats, and texts into objects)."""
    ionworks.set_dataframe_backend("polars")
    schema = reader(client, kind)(id_).schema
    ionworks.set_dataframe_backend("pandas")
    frame = reader(client, kind)(id_)
    return frame, {name: DTYPES[str(dtype)] for name, dtype in schema.items()}


def cell(value, dtype):
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return None
    if dtype == "string":
        return str(value)
    return int(value) if dtype == "int64" else float(value)


def stats(column, dtype):
    numbers = column.dropna()
    exists = len(numbers) > 0
    return {
        "count": len(numbers),
        "min": cell(numbers.min(), dtype) if exists else None,
        "max": cell(numbers.max(), dtype) if exists else None,
        "mean": float(numbers.mean()) if exists and dtype != "string" else None,
    }


def answer(frame, dtypes, request):
    keep = pd.Series(True, index=frame.index)
    for condition in request["where"]:
        keep &= OPERATORS[condition["op"]](frame[condition["column"]], condition.get("value"))
    matched = frame[keep]
    columns = request["columns"] or list(frame.columns)
    window = matched[columns].iloc[request["offset"] : request["offset"] + request["limit"]]
    return {
        "columns": columns,
        "dtypes": {name: dtypes[name] for name in columns},
        "total_rows": len(frame),
        "total_columns": frame.shape[1],
        "matched_rows": len(matched),
        "data": {name: [cell(v, dtypes[name]) for v in window[name].tolist()] for name in columns},
        "row_numbers": [int(i) for i in window.index],
        "stats": {name: stats(matched[name], dtypes[name]) for name in columns},
    }


def main():
    ionworks.set_cache_enabled(False)
    client = Ionworks()
    frames = {}
    answers = []
    for request in json.load(sys.stdin):
        key = (request["kind"], request["id"])
        if key not in frames:
            frames[key] = load(client, *key)
        answers.append(answer(*frames[key], request))
    json.dump(answers, sys.stdout, allow_nan=False)


main()

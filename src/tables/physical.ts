/** Values as a page stores them, before they get a column's type. */
import { damaged } from "./damaged.ts";

/** Variable or fixed length byte values: value `i` is `bytes[starts[i]]` to `bytes[ends[i]]` (exclusive). */
export interface Slices {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** `(n,)` values without nulls. Booleans are 0 or 1 in a Uint8Array; INT96 are nanoseconds since 1970. */
export type Physical =
  | {
      readonly form: "numbers";
      readonly values: Float64Array | Float32Array | Int32Array | Uint8Array;
    }
  | { readonly form: "bigints"; readonly values: BigInt64Array }
  | { readonly form: "slices"; readonly values: Slices };

function lengthOf(physical: Physical): number {
  return physical.form === "slices" ? physical.values.starts.length : physical.values.length;
}

/** The dictionary's values at `indexes`. */
export function takeFrom(dictionary: Physical, indexes: Uint32Array): Physical {
  const size = lengthOf(dictionary);
  const count = indexes.length;
  for (let index = 0; index < count; index += 1) {
    if ((indexes[index] as number) >= size) {
      throw damaged(`a page points at entry ${indexes[index]} of a dictionary of ${size}`);
    }
  }
  if (dictionary.form === "slices") {
    const { bytes, starts, ends } = dictionary.values;
    const taken = { bytes, starts: new Uint32Array(count), ends: new Uint32Array(count) };
    for (let index = 0; index < count; index += 1) {
      const entry = indexes[index] as number;
      taken.starts[index] = starts[entry] as number;
      taken.ends[index] = ends[entry] as number;
    }
    return { form: "slices", values: taken };
  }
  if (dictionary.form === "bigints") {
    const values = new BigInt64Array(count);
    for (let index = 0; index < count; index += 1) {
      values[index] = dictionary.values[indexes[index] as number] as bigint;
    }
    return { form: "bigints", values };
  }
  const { values: entries } = dictionary;
  const values = new (entries.constructor as Float64ArrayConstructor)(count);
  for (let index = 0; index < count; index += 1) {
    values[index] = entries[indexes[index] as number] as number;
  }
  return { form: "numbers", values };
}

/** Bytes that the values hold on to [bytes]. */
export function sizeOf(physical: Physical): number {
  return physical.form === "slices"
    ? physical.values.bytes.length + 8 * physical.values.starts.length
    : physical.values.byteLength;
}

/** Two stretches as one. Not a Buffer: its `slice` would share memory where a copy is meant. */
export function joinBytes(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) {
    return second;
  }
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}

/**
 * Cuts a footer into its row groups without parsing them: a file of many has a footer of which a window needs one.
 *
 * Each piece is a footer of its own for hyparquet: the schema and one row group, or the schema and none.
 */
import { damaged } from "./damaged.ts";

/** Where a row group's description lies in the footer, and what of it is always needed. */
interface CutGroup {
  readonly start: number;
  readonly end: number;
  readonly rows: number;
  readonly columns: number;
}

export interface CutFooter {
  /** The footer without row groups. */
  readonly frame: Uint8Array;
  readonly groups: readonly { readonly rows: number; readonly columns: number }[];
  /** The footer with one row group alone. */
  only(index: number): Uint8Array;
}

/** Types of Thrift's compact protocol. */
const STOP = 0;
const FALSE = 2;
const BYTE = 3;
const I64 = 6;
const DOUBLE = 7;
const BINARY = 8;
const LIST = 9;
const STRUCT = 12;

/** Fields of the format's FileMetaData and RowGroup. */
const ROW_GROUPS = 4;
const COLUMNS = 1;
const NUM_ROWS = 3;

/** Deepest nesting of a footer; the format's own is 6. */
const MAX_DEPTH = 16;

const MAGIC = Buffer.from("PAR1");

/** Walks over Thrift values without building them. Nothing is read beyond the end. */
class Walker {
  readonly #bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  byte(): number {
    const byte = this.#bytes[this.at];
    if (byte === undefined) {
      throw damaged("its footer breaks off");
    }
    this.at += 1;
    return byte;
  }

  /** An unsigned number; exact up to 2^53. */
  varint(): number {
    let value = 0;
    for (let scale = 1; scale < 2 ** 70; scale *= 128) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) {
        return value;
      }
    }
    throw damaged("a number of its footer is too long");
  }

  signed(): number {
    const folded = this.varint();
    return folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
  }

  /** Type and length of a list. */
  list(): { type: number; length: number } {
    const byte = this.byte();
    return { type: byte & 15, length: byte >> 4 === 15 ? this.varint() : byte >> 4 };
  }

  /** Visits the fields of a struct; `visit` says whether it has read the value itself. */
  struct(depth: number, visit: (id: number, type: number) => boolean): void {
    let id = 0;
    for (let byte = this.byte(); (byte & 15) !== STOP; byte = this.byte()) {
      id = byte >> 4 === 0 ? this.signed() : id + (byte >> 4);
      const type = byte & 15;
      // A field that is true or false has its value in its type.
      if (!visit(id, type) && type > FALSE) {
        this.skip(type, depth);
      }
    }
  }

  skip(type: number, depth: number): void {
    if (depth > MAX_DEPTH) {
      throw damaged("its footer is nested too deep");
    }
    if (type <= BYTE) {
      this.byte();
    } else if (type <= I64) {
      while (this.byte() >= 0x80) {
        // The last byte of a number is below 128.
      }
    } else if (type === DOUBLE) {
      this.#pass(8);
    } else if (type === BINARY) {
      this.#pass(this.varint());
    } else if (type === LIST) {
      const { type: inner, length } = this.list();
      for (let index = 0; index < length; index += 1) {
        this.skip(inner, depth + 1);
      }
    } else if (type === STRUCT) {
      this.struct(depth + 1, () => false);
    } else {
      throw damaged(`a value of type ${type} in its footer`);
    }
  }

  #pass(bytes: number): void {
    if (this.at + bytes > this.#bytes.length) {
      throw damaged("its footer breaks off");
    }
    this.at += bytes;
  }
}

function walkGroup(walker: Walker): CutGroup {
  const start = walker.at;
  let rows = Number.NaN;
  let columns = Number.NaN;
  walker.struct(1, (id, type) => {
    if (id === NUM_ROWS && type === I64) {
      rows = walker.signed();
      return true;
    }
    if (id === COLUMNS && type === LIST) {
      const list = walker.list();
      columns = list.length;
      for (let index = 0; index < list.length; index += 1) {
        walker.skip(list.type, 1);
      }
      return true;
    }
    return false;
  });
  return { start, end: walker.at, rows, columns };
}

/**
 * Cuts a footer. What it says is not checked yet, but that it has row groups.
 * @param footer the footer without what follows it
 */
export function cutFooter(footer: Uint8Array): CutFooter {
  const walker = new Walker(footer);
  const groups: CutGroup[] = [];
  let listStart = 0;
  let listEnd = 0;
  walker.struct(0, (id, type) => {
    if (id !== ROW_GROUPS || type !== LIST || listEnd > 0) {
      return false;
    }
    listStart = walker.at;
    const list = walker.list();
    for (let index = 0; index < list.length; index += 1) {
      groups.push(walkGroup(walker));
    }
    listEnd = walker.at;
    return true;
  });
  if (listEnd === 0) {
    throw damaged("its footer has no row groups");
  }
  const compose = (count: number, group: Uint8Array): Uint8Array => {
    const length = Buffer.alloc(4);
    const pieces = [
      footer.subarray(0, listStart),
      Uint8Array.of((count << 4) | STRUCT),
      group,
      footer.subarray(listEnd),
    ];
    length.writeUInt32LE(pieces.reduce((sum, piece) => sum + piece.length, 0));
    return new Uint8Array(Buffer.concat([...pieces, length, MAGIC]));
  };
  return {
    frame: compose(0, new Uint8Array(0)),
    groups,
    only(index) {
      const { start = 0, end = 0 } = groups[index] ?? {};
      return compose(1, footer.subarray(start, end));
    },
  };
}

/** A ZIP archive of stored (uncompressed) files: the same bytes on every machine, whatever its zlib. */
import { crc32 } from "node:zlib";

export interface ZipEntry {
  readonly name: string;
  readonly bytes: Buffer;
}

/** 2024-01-01 00:00:00 in MS-DOS form. */
const DATE = ((2024 - 1980) << 9) | (1 << 5) | 1;

/** Archive of the entries in their order; below 4 GiB and 65,535 entries. */
export function writeZip(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes } of entries) {
    const nameBytes = Buffer.from(name);
    const shared = sharedFields(nameBytes, bytes);
    const local = Buffer.concat([signature(0x04034b50), shared, nameBytes]);
    const central = Buffer.alloc(14);
    central.writeUInt32LE(offset, 10);
    directory.push(
      Buffer.concat([signature(0x02014b50), Buffer.from([20, 0]), shared, central, nameBytes]),
    );
    parts.push(local, bytes);
    offset += local.length + bytes.length;
  }
  const directoryBytes = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directoryBytes.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, directoryBytes, signature(0x06054b50), end]);
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** The 26 bytes that a local header and a directory entry have in common: version to extra length. */
function sharedFields(name: Buffer, bytes: Buffer): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(0x0800, 2); // names are UTF-8
  fields.writeUInt16LE(DATE, 8);
  fields.writeUInt32LE(crc32(bytes), 10);
  fields.writeUInt32LE(bytes.length, 14);
  fields.writeUInt32LE(bytes.length, 18);
  fields.writeUInt16LE(name.length, 22);
  return fields;
}

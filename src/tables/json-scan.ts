/** Where the members of a JSON object lie in its text, without parsing their values. */

/** A member's name and its value's place in the text: `start` inclusive, `end` exclusive. */
export interface Member {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

const BLANK = /[^ \t\r\n]/g;

function afterBlanks(text: string, at: number): number {
  BLANK.lastIndex = at;
  return BLANK.exec(text)?.index ?? text.length;
}

function fail(text: string, at: number): never {
  throw new SyntaxError(
    at >= text.length
      ? `the JSON text breaks off at character ${at}`
      : `unexpected text at character ${at}`,
  );
}

/** Character behind the closing quote of the string that starts at `at`. */
function afterString(text: string, at: number): number {
  for (let end = at + 1; ; end += 1) {
    end = text.indexOf('"', end);
    if (end < 0) {
      return fail(text, text.length);
    }
    let slashes = 0;
    while (text[end - 1 - slashes] === "\\") {
      slashes += 1;
    }
    if (slashes % 2 === 0) {
      return end + 1;
    }
  }
}

const STRUCTURE = /["[\]{}]/g;
const END_OF_SCALAR = /[,\]}\s]/g;

/** Character behind the value that starts at `at`. What is inside is checked when it is parsed. */
function afterValue(text: string, at: number): number {
  const first = text[at];
  if (first === '"') {
    return afterString(text, at);
  }
  if (first !== "[" && first !== "{") {
    END_OF_SCALAR.lastIndex = at;
    const end = END_OF_SCALAR.exec(text)?.index ?? text.length;
    return end === at ? fail(text, at) : end;
  }
  let depth = 0;
  let place = at;
  do {
    STRUCTURE.lastIndex = place;
    const found = STRUCTURE.exec(text);
    if (found === null) {
      return fail(text, text.length);
    }
    if (found[0] === '"') {
      place = afterString(text, found.index);
      continue;
    }
    depth += found[0] === "[" || found[0] === "{" ? 1 : -1;
    place = found.index + 1;
  } while (depth > 0);
  return place;
}

/**
 * The members of the object that starts at `start`, in order; of a repeated name the last.
 * @throws SyntaxError where there is no whole object
 */
export function membersOf(text: string, start: number): { members: Member[]; end: number } {
  const members = new Map<string, Member>();
  let at = afterBlanks(text, start);
  if (text[at] !== "{") {
    fail(text, at);
  }
  at = afterBlanks(text, at + 1);
  while (text[at] !== "}") {
    if (text[at] !== '"') {
      fail(text, at);
    }
    const nameEnd = afterString(text, at);
    const name = JSON.parse(text.slice(at, nameEnd)) as string;
    at = afterBlanks(text, nameEnd);
    if (text[at] !== ":") {
      fail(text, at);
    }
    const valueStart = afterBlanks(text, at + 1);
    const valueEnd = afterValue(text, valueStart);
    members.set(name, { name, start: valueStart, end: valueEnd });
    at = afterBlanks(text, valueEnd);
    if (text[at] === ",") {
      at = afterBlanks(text, at + 1);
      if (text[at] === "}") {
        fail(text, at);
      }
    } else if (text[at] !== "}") {
      fail(text, at);
    }
  }
  return { members: [...members.values()], end: at + 1 };
}

/** Whether nothing but blanks follows. */
export function endsAt(text: string, at: number): boolean {
  return afterBlanks(text, at) === text.length;
}

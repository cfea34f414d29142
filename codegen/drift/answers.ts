/** Whether what a tool reads is still in the answer: media types and the schema of the body. */
import type { Json } from "../../src/contract.ts";
import type { Change } from "./finding.ts";
import { memberOf, membersOf, type Place, placeOf, pointerTo } from "./place.ts";
import { likeness, mostLike } from "./similar.ts";
import { partOf } from "./unchanged.ts";
import { type OperationUse, UNUSED, type UseTree, useTree } from "./uses.ts";
import { type SchemaView, viewOf } from "./view.ts";
import { list, saysOtherwise, typeWords } from "./words.ts";

/** Places of one answer that are compared although no tool depends on them: large schemas contain one another. */
const MAX_UNUSED_PLACES = 1000;

const JSON_MEDIA = /^application\/(?:[\w.+-]+\+)?json$|^text\/json$/;

interface Success {
  readonly pointer: string;
  /** Schema or undefined, by media type without its parameters. */
  readonly media: ReadonlyMap<string, Place | undefined>;
  readonly redirects: boolean;
}

/** What an operation promises when all goes well. */
function successOf(operation: Place): Success {
  const media = new Map<string, Place | undefined>();
  let redirects = false;
  for (const [status, response] of membersOf(memberOf(operation, "responses"))) {
    redirects ||= /^3/.test(status);
    if (/^2/.test(status)) {
      for (const [name, content] of membersOf(memberOf(response, "content"))) {
        const type = (name.split(";")[0] ?? "").trim().toLowerCase();
        media.set(type, media.get(type) ?? memberOf(content, "schema"));
      }
    }
  }
  return { pointer: pointerTo(operation.pointer, "responses"), media, redirects };
}

/** The schema of the JSON body; `{}` where the document promises JSON of any kind, undefined where none. */
export function bodySchema(operation: Place): Place | undefined {
  const { media, pointer } = successOf(operation);
  const body = [...media].find(([name]) => JSON_MEDIA.test(name));
  return body === undefined ? undefined : (body[1] ?? placeOf(operation.document, {}, pointer));
}

function mediaChanges(was: Success, is: Success, use: OperationUse): Change[] {
  const reads = (name: string) => use.reads === "file" || JSON_MEDIA.test(name) || name === "*/*";
  const before = [...was.media.keys()].filter(reads);
  const after = [...is.media.keys()].filter(reads);
  const gone = [...was.media.keys()].filter((name) => !is.media.has(name));
  const added = [...is.media.keys()].filter((name) => !was.media.has(name));
  const named = (names: readonly string[]) => (names.length === 0 ? "none" : list(names));
  const lostBody =
    before.length > 0 &&
    (use.reads === "file" ? before.every((name) => !after.includes(name)) : after.length === 0);
  const lostRedirect = use.reads === "file" && was.redirects && !is.redirects;
  const changes: Change[] = [];
  if (lostBody) {
    const message = `media type changed from ${named(before)} to ${named([...is.media.keys()])}; choose another result kind or operation in the manifest`;
    changes.push({ level: "breaking", pointer: is.pointer, message });
  } else {
    for (const name of gone) {
      changes.push({ level: "note", pointer: was.pointer, message: `media type ${name} gone` });
    }
  }
  if (lostRedirect) {
    const message =
      "the answer is no longer a redirect to a file; choose another result kind or operation in the manifest";
    changes.push({ level: "breaking", pointer: is.pointer, message });
  }
  for (const name of lostBody ? [] : added) {
    changes.push({ level: "additive", pointer: is.pointer, message: `new media type ${name}` });
  }
  return changes;
}

/** Below `*` no member is named: one may go, but those that are there must have the right type. */
function childOf(use: UseTree, key: string): UseTree {
  return use.children.get(key) ?? use.children.get("*") ?? UNUSED;
}

function itemUse(use: UseTree): UseTree {
  const numbered = [...use.children].find(([key]) => /^\d+$/.test(key));
  return use.children.get("*") ?? numbered?.[1] ?? UNUSED;
}

/** Walks two schemas of one answer together with what the tool reads of them. */
class AnswerComparison {
  readonly changes: Change[] = [];
  /** Whether places that no tool depends on were left out. */
  isCut = false;
  readonly #seen = new Set<string>();
  readonly #unchanged: ReadonlySet<string>;

  constructor(unchanged: ReadonlySet<string>) {
    this.#unchanged = unchanged;
  }

  #say(level: Change["level"], pointer: string, message: string): void {
    this.changes.push({ level, pointer, message });
  }

  compare(was: Place, is: Place, use: UseTree, at: string): void {
    if (was.pointer === is.pointer && this.#unchanged.has(partOf(is.pointer))) {
      return;
    }
    const key = `${was.pointer} ${is.pointer} ${use.by ?? ""} ${[...use.children.keys()].join()}`;
    if (this.#seen.has(key)) {
      return;
    }
    if (use.by === undefined && this.#seen.size >= MAX_UNUSED_PLACES) {
      this.isCut = true;
      return;
    }
    this.#seen.add(key);
    const [before, after] = [viewOf(was), viewOf(is)];
    const name = at === "" ? "answer" : `field ${at}`;
    if (this.#typeChanged(before, after, use, name)) {
      return;
    }
    this.#values(before, after, use, name);
    if (saysOtherwise(before.description, after.description)) {
      this.#say("note", is.pointer, `${name}: description changed`);
    }
    if (!before.deprecated && after.deprecated) {
      this.#say("note", is.pointer, `${name}: now deprecated`);
    }
    this.#properties(before, after, use, at);
    if (before.items !== undefined && after.items !== undefined) {
      this.compare(before.items, after.items, itemUse(use), `${at}/*`);
    }
    if (before.additional !== undefined && after.additional !== undefined) {
      this.compare(before.additional, after.additional, childOf(use, "*"), `${at}/*`);
    }
  }

  /** A reader can meet a type that it never met before; fewer types do no harm. */
  #typeChanged(before: SchemaView, after: SchemaView, use: UseTree, name: string): boolean {
    const is = after.types;
    const foreign =
      is.size === 0
        ? before.types.size > 0
        : before.types.size > 0 &&
          [...is].some(
            (type) =>
              !before.types.has(type) && !(type === "integer" && before.types.has("number")),
          );
    const words = (view: SchemaView) => typeWords(view, view.items && viewOf(view.items));
    if (foreign) {
      const told = `${name}: type changed from ${words(before)} to ${words(after)}`;
      this.#say(...judge(use, after.pointer, told));
      return true;
    }
    if (!before.nullable && after.nullable) {
      this.#say(...judge(use, after.pointer, `${name}: may now be null`));
    }
    return false;
  }

  #values(before: SchemaView, after: SchemaView, use: UseTree, name: string): void {
    const [was, is] = [before.values, after.values];
    const pointer = `${after.pointer}/enum`;
    if (was === undefined || is === undefined) {
      if (was !== undefined) {
        this.#say("additive", after.pointer, `${name}: any value, not only ${list(was)}`);
      } else if (is !== undefined) {
        const missing = lacking(use.values, is);
        const level = missing.length > 0 ? "breaking" : "note";
        this.#say(level, pointer, `${name}: only ${list(is)} now, before any value`);
      }
      return;
    }
    const gone = lacking(was, is);
    const added = lacking(is, was);
    if (gone.length > 0) {
      const judged = (use.values ?? []).some((value) => lacking([value], gone).length === 0);
      const edit = judged ? `; ${use.by} in the manifest's entry asks for it` : "";
      const message = `${name}: enum value ${list(gone)} gone${edit}`;
      this.#say(judged ? "breaking" : "note", pointer, message);
    }
    if (added.length > 0) {
      this.#say("additive", pointer, `${name}: new enum value ${list(added)}`);
    }
  }

  #properties(before: SchemaView, after: SchemaView, use: UseTree, at: string): void {
    const added = [...after.properties].filter(([name]) => !before.properties.has(name));
    for (const [name, was] of before.properties) {
      const is = after.properties.get(name);
      const where = pointerTo(at, name);
      const named = use.children.get(name);
      const below = childOf(use, name);
      if (is !== undefined) {
        if (named !== undefined && before.required.has(name) && !after.required.has(name)) {
          this.#say(...judge(named, is.pointer, `field ${where}: no longer always there`));
        }
        this.compare(was, is, below, where);
        continue;
      }
      const heir = mostLike(added, ([other, place]) =>
        likeness(described(name, was), described(other, place)),
      );
      if (heir !== undefined) {
        added.splice(added.indexOf(heir), 1);
        const told = `field ${where} renamed to ${pointerTo(at, heir[0])}`;
        this.#say(...judge(named ?? UNUSED, heir[1].pointer, told));
        this.compare(was, heir[1], below, pointerTo(at, heir[0]));
      } else {
        this.#say(...judge(named ?? UNUSED, was.pointer, `field ${where} gone`));
      }
    }
    for (const [name, place] of added) {
      this.#say("additive", place.pointer, `new field ${pointerTo(at, name)}`);
    }
  }
}

const described = (name: string, place: Place) => {
  const schema = viewOf(place);
  return { name, schema, description: schema.description };
};

function lacking(values: readonly Json[] | undefined, among: readonly Json[]): Json[] {
  return (values ?? []).filter(
    (value) => !among.some((other) => JSON.stringify(other) === JSON.stringify(value)),
  );
}

function judge(use: UseTree, pointer: string, message: string): [Change["level"], string, string] {
  return use.by === undefined
    ? ["note", pointer, `${message}; no tool depends on it`]
    : ["breaking", pointer, `${message}; edit ${use.by} in the manifest's entry`];
}

/**
 * Changes of an operation's answer, judged by what the tool reads of it.
 * @param unchanged parts of both documents that need no comparison
 */
export function answerChanges(
  was: Place,
  is: Place,
  use: OperationUse,
  unchanged: ReadonlySet<string>,
): Change[] {
  const [before, after] = [successOf(was), successOf(is)];
  const changes = mediaChanges(before, after, use);
  const [schema, newSchema] = [bodySchema(was), bodySchema(is)];
  if (schema === undefined || newSchema === undefined) {
    return changes;
  }
  const comparison = new AnswerComparison(unchanged);
  comparison.compare(schema, newSchema, useTree(use.answer), "");
  const found = [...changes, ...comparison.changes];
  if (comparison.isCut && found.length > 0) {
    const message = `more differences may be in fields that no tool depends on: ${MAX_UNUSED_PLACES} of them were compared`;
    found.push({ level: "note", pointer: newSchema.pointer, message });
  }
  return found;
}

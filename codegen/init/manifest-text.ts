/** A proposed section as the text of `tools.manifest.yaml`. */
import { Document, isMap, type Pair, type Scalar, YAMLMap } from "yaml";
import { type Draft, entryOf } from "./drafts.ts";
import type { ProposedFrame } from "./frame.ts";

const INTRO = ` Which operations become tools, under which names and words. Edit it, then: vitrine generate, vitrine inspect.
 An operation with enabled: false is no tool yet: take these words out to make it one.`;

/** A comment of one line; text of a document may hold anything. */
const comment = (text: string) => ` ${text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")}`;

/** One tool as a pair of the map `tools`: several lines where it is enabled, one where it is not. */
function toolPair(document: Document, draft: Draft, enabled: boolean): Pair {
  const { refusal, notes } = draft;
  const isOn = enabled && refusal === undefined;
  const { operation, title, description, ...rest } = entryOf(draft);
  const entry = isOn
    ? { operation, title, description, ...rest }
    : { enabled: false, operation, title, description, ...(refusal === undefined ? rest : {}) };
  const pair = document.createPair(draft.name, entry);
  if (isMap(pair.value)) {
    pair.value.flow = !isOn;
    for (const { key, value } of pair.value.items) {
      const words = (key as Scalar).value;
      if (isMap(value) && words === "arguments") {
        for (const item of value.items) {
          flowOf(item.value);
        }
      } else if (words === "result") {
        flowOf(value);
      }
    }
  }
  const said = [
    ...(refusal === undefined ? [] : [`cannot be a tool: ${refusal}`]),
    ...(isOn ? notes : []),
  ];
  const key = pair.key as Scalar;
  if (said.length > 0) {
    key.commentBefore = said.map(comment).join("\n");
  }
  key.spaceBefore = isOn;
  return pair as Pair;
}

function flowOf(value: unknown): void {
  if (isMap(value)) {
    value.flow = true;
  }
}

/** No line is broken, so that one line stays one line. */
const YAML_OPTIONS = { lineWidth: 0, flowCollectionPadding: true } as const;

/** The text of a manifest. `enabled` tells which drafts are tools at once. */
export function manifestText(
  proposed: ProposedFrame,
  budget: number,
  drafts: readonly Draft[],
  enabled: (draft: Draft) => boolean,
): string {
  const { name, frame, todo } = proposed;
  const { upstream, variables, ...head } = frame;
  const document = new Document({
    servers: { [name]: { ...head, budget, upstream, variables, tools: {} } },
  });
  document.commentBefore = [INTRO, ...todo.map((line) => comment(`To do: ${line}.`))].join("\n");
  const tools = new YAMLMap();
  tools.items = drafts.map((draft) => toolPair(document, draft, enabled(draft)));
  const top = tools.items[0]?.key as Scalar | undefined;
  if (top !== undefined) {
    top.spaceBefore = false;
  }
  const first = drafts.findIndex((draft) => !enabled(draft) || draft.refusal !== undefined);
  const firstKey = tools.items[first]?.key as Scalar | undefined;
  if (firstKey !== undefined && first > 0) {
    firstKey.spaceBefore = true;
  }
  document.setIn(["servers", name, "tools"], tools);
  return document.toString(YAML_OPTIONS);
}

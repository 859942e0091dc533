import type { Json } from '../../../core/index.ts';
import { sameJson } from '../records/change.ts';
import { labelOf } from '../show/label-of.ts';
import type { Field } from '../table.ts';
import { quote } from '../values/quote.ts';
import { runOn } from './apply-prose.ts';
import { changedIn, type DraftRow } from './draft-row.ts';
import type { FaultList } from './fault-list.ts';
import type { ProseKind } from './prose-rules.ts';
import { putValue } from './put-value.ts';
import { createRowCheck } from './row-check.ts';
import type { RuleContext } from './rule-context.ts';

/**
 * Checks drafts against all rules: first those that need no generated code, then, for drafts that pass, the
 * prose rules.
 */
export async function checkDrafts(
  context: RuleContext,
  drafts: readonly DraftRow[],
  faults: FaultList,
): Promise<void> {
  await checkLists(context, drafts, faults);
  const check = createRowCheck(
    context.table,
    drafts.map(({ row }) => row),
  );
  for (const draft of drafts) {
    for (const { message, field } of check(draft.row, changedIn(draft)))
      faults.add(draft.index, message, field);
  }
  const clean = drafts.filter(({ index }) => faults.isClean(index));
  await checkRequired(context, clean, faults);
  await checkValues(context, clean, faults);
  await checkRules(context, clean, faults);
}

/**
 * Checks values against the lists of allowed values that prose rules produce. Replaces spelling variants with
 * the spelling in the list.
 */
async function checkLists(
  context: RuleContext,
  drafts: readonly DraftRow[],
  faults: FaultList,
): Promise<void> {
  const { table, prose } = context;
  for (const field of table.fields) {
    const { name } = field;
    if (!prose.has('enumerate', name)) continue;
    const about = drafts.filter(
      (draft) =>
        draft.row[name] !== null && faults.isClean(draft.index) && changedIn(draft)?.has(name) !== false,
    );
    const lists = await runOn(context, 'enumerate', field, about);
    for (const [at, draft] of about.entries()) {
      const list = lists[at];
      const found = Array.isArray(list)
        ? entryFor(list as readonly Json[], draft.row[name] ?? null)
        : undefined;
      if (found === undefined)
        faults.add(
          draft.index,
          `${labelOf(field)} ${quote(draft.row[name] ?? null)} is not one of the allowed values.`,
          name,
        );
      else putValue(context, draft, field, found, faults);
    }
  }
}

function entryFor(list: readonly Json[], value: Json): Json | undefined {
  const plain = (one: Json): Json => (typeof one === 'object' ? one : String(one).toLowerCase());
  return list.find((one) => sameJson(one, value)) ?? list.find((one) => sameJson(plain(one), plain(value)));
}

async function checkRequired(
  context: RuleContext,
  drafts: readonly DraftRow[],
  faults: FaultList,
): Promise<void> {
  for (const field of context.table.fields) {
    const { name, requiredWhen, requiredIf } = field;
    if (requiredWhen === undefined || requiredIf !== undefined || !context.prose.has('require', name))
      continue;
    const about = drafts.filter(({ row }) => row[name] === null);
    const isWrong = (result: Json | undefined): boolean => result !== false;
    for (const { draft } of await newlyWrong(context, 'require', field, about, isWrong))
      faults.add(
        draft.index,
        `${labelOf(field)} is required: ${requiredWhen.text.replace(/\.$/, '')}.`,
        name,
      );
  }
}

async function checkValues(
  context: RuleContext,
  drafts: readonly DraftRow[],
  faults: FaultList,
): Promise<void> {
  for (const field of context.table.fields) {
    const { name } = field;
    if (!context.prose.has('validate', name)) continue;
    const about = drafts.filter(({ row }) => row[name] !== null);
    const isWrong = (result: Json | undefined): boolean => result !== null;
    for (const { draft, result } of await newlyWrong(context, 'validate', field, about, isWrong))
      faults.add(
        draft.index,
        `${labelOf(field)} ${quote(draft.row[name] ?? null)}: ${sentenceOf(result)}`,
        name,
      );
  }
}

/** Checks prose rules on every change, because it is unknown which fields they depend on. */
async function checkRules(
  { prose }: RuleContext,
  drafts: readonly DraftRow[],
  faults: FaultList,
): Promise<void> {
  if (drafts.length === 0) return;
  for (let number = 1; prose.has('rule', String(number)); number++) {
    const inputs = drafts.map(({ row, before = null }) => ({ value: before, record: { ...row } }));
    const results = await prose.run('rule', String(number), inputs);
    for (const [at, { index }] of drafts.entries()) {
      const result = results[at];
      if (result !== null) faults.add(index, sentenceOf(result));
    }
  }
}

/** Returns the rejection message from a rule's result. Any result other than null rejects the record. */
function sentenceOf(result: Json | undefined): string {
  return typeof result === 'string' ? result : 'it is not valid.';
}

interface Wrong {
  readonly draft: DraftRow;
  readonly result: Json | undefined;
}

/**
 * Returns the drafts that a rule rejects. A draft that does not change the field is rejected only if the old
 * record complies with the rule.
 */
async function newlyWrong(
  context: RuleContext,
  kind: ProseKind,
  field: Field,
  drafts: readonly DraftRow[],
  isWrong: (result: Json | undefined) => boolean,
): Promise<readonly Wrong[]> {
  const results = await runOn(context, kind, field, drafts);
  const wrong = drafts.flatMap((draft, at) => (isWrong(results[at]) ? [{ draft, result: results[at] }] : []));
  const untouched = wrong.filter(({ draft }) => changedIn(draft)?.has(field.name) === false);
  if (untouched.length === 0) return wrong;
  const earlier = await context.prose.run(
    kind,
    field.name,
    untouched.map(({ draft: { before = {} } }) => ({ value: before[field.name] ?? null, record: before })),
  );
  const old = new Set(untouched.filter((_one, at) => isWrong(earlier[at])));
  return wrong.filter((one) => !old.has(one));
}

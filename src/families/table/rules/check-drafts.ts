import { quote, type Json } from '../../../core/index.ts';
import { sameJson } from '../records/change.ts';
import { labelOf, type Field } from '../table.ts';
import { createRowCheck } from './check-row.ts';
import { cleanDrafts, isChanged, putValue, runProse, type DraftPlan, type DraftRows } from './drafts.ts';

/**
 * Checks drafts against all rules: first those that need no generated code, then, for drafts that pass, the
 * prose rules.
 */
export async function checkDrafts(plan: DraftPlan): Promise<void> {
  const { table, prose, drafts, faults } = plan;
  for (const field of table.fields) if (prose.has('enumerate', field.name)) await checkList(plan, field);
  const check = createRowCheck(
    table,
    drafts.map(({ row }) => row),
  );
  for (const draft of drafts) {
    const found = check(draft.row, (field) => isChanged(draft, field));
    for (const { message, field } of found) faults.add(draft.index, message, field);
  }
  const clean = cleanDrafts(plan);
  for (const rule of fieldRules)
    for (const field of table.fields)
      if (rule.isFor(field) && prose.has(rule.kind, field.name)) await checkField(plan, rule, field, clean);
  await checkRules(plan, clean);
}

/**
 * Checks values against the lists of allowed values that a prose rule produces. Replaces spelling variants
 * with the spelling in the list.
 */
async function checkList(plan: DraftPlan, field: Field): Promise<void> {
  const { name } = field;
  const about = cleanDrafts(plan).filter((draft) => draft.row[name] !== null && isChanged(draft, name));
  const lists = await runProse(plan, 'enumerate', field, about);
  for (const [at, draft] of about.entries()) {
    const list = lists[at];
    const value = draft.row[name] ?? null;
    const found = Array.isArray(list) ? entryFor(list as readonly Json[], value) : undefined;
    const message = `${labelOf(field)} ${quote(value)} is not one of the allowed values.`;
    if (found === undefined) plan.faults.add(draft.index, message, name);
    else putValue(plan, draft, field, found);
  }
}

function entryFor(list: readonly Json[], value: Json): Json | undefined {
  const plain = (one: Json): Json => (typeof one === 'object' ? one : String(one).toLowerCase());
  return list.find((one) => sameJson(one, value)) ?? list.find((one) => sameJson(plain(one), plain(value)));
}

/** A kind of prose rule that accepts or rejects the value of a field. */
interface FieldRule {
  readonly kind: 'require' | 'validate';
  isFor(field: Field): boolean;
  isAbout(value: Json): boolean;
  isWrong(result: Json | undefined): boolean;
  explain(field: Field, value: Json, result: Json | undefined): string;
}

const fieldRules: readonly FieldRule[] = [
  {
    kind: 'require',
    isFor: ({ requiredWhen, requiredIf }) => requiredWhen !== undefined && requiredIf === undefined,
    isAbout: (value) => value === null,
    isWrong: (result) => result !== false,
    explain: (field) =>
      `${labelOf(field)} is required: ${(field.requiredWhen?.text ?? '').replace(/\.$/, '')}.`,
  },
  {
    kind: 'validate',
    isFor: () => true,
    isAbout: (value) => value !== null,
    isWrong: (result) => result !== null,
    explain: (field, value, result) => `${labelOf(field)} ${quote(value)}: ${sentenceOf(result)}`,
  },
];

/**
 * Checks the values of a field with a prose rule. A draft that does not change the field is rejected only if
 * the old record complies with the rule.
 */
async function checkField(
  plan: DraftPlan,
  { kind, isAbout, isWrong, explain }: FieldRule,
  field: Field,
  drafts: DraftRows,
): Promise<void> {
  const { name } = field;
  const about = drafts.filter(({ row }) => isAbout(row[name] ?? null));
  const results = await runProse(plan, kind, field, about);
  const wrong = about.flatMap((draft, at) => (isWrong(results[at]) ? [{ draft, result: results[at] }] : []));
  const untouched = wrong.filter(({ draft }) => !isChanged(draft, name));
  const inputs = untouched.map(({ draft: { before = {} } }) => ({
    value: before[name] ?? null,
    record: before,
  }));
  const earlier = inputs.length === 0 ? [] : await plan.prose.run(kind, name, inputs);
  const old = new Set(untouched.filter((_one, at) => isWrong(earlier[at])));
  for (const one of wrong.filter((each) => !old.has(each)))
    plan.faults.add(one.draft.index, explain(field, one.draft.row[name] ?? null, one.result), name);
}

/** Checks prose rules on every change, because it is unknown which fields they depend on. */
async function checkRules({ prose, faults }: DraftPlan, drafts: DraftRows): Promise<void> {
  if (drafts.length === 0) return;
  const inputs = drafts.map(({ row, before = null }) => ({ value: before, record: { ...row } }));
  for (let number = 1; prose.has('rule', String(number)); number++) {
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

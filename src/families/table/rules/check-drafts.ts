import type { Json } from '../../../core/index.ts';
import { sameJson } from '../records/same-json.ts';
import { labelOf } from '../show/label-of.ts';
import type { Field } from '../table.ts';
import { quote } from '../values/quote.ts';
import { runOn } from './apply-prose.ts';
import { changedIn, type DraftRow } from './draft-row.ts';
import type { FaultList } from './fault-list.ts';
import type { ProseKind } from './prose-rules.ts';
import { putValue } from './put-value.ts';
import { createRowCheck } from './row-check.ts';
import type { RuleGround } from './rule-ground.ts';

/** Holds drafts against all rules: first those that need no code, then, where these are kept, those in words. */
export async function checkDrafts(
  ground: RuleGround,
  drafts: readonly DraftRow[],
  faults: FaultList,
): Promise<void> {
  await checkLists(ground, drafts, faults);
  const check = createRowCheck(
    ground.table,
    drafts.map(({ row }) => row),
  );
  for (const draft of drafts) {
    for (const { message, field } of check(draft.row, changedIn(draft)))
      faults.add(draft.index, message, field);
  }
  const clean = drafts.filter(({ index }) => faults.isClean(index));
  await checkRequired(ground, clean, faults);
  await checkValues(ground, clean, faults);
  await checkRules(ground, clean, faults);
}

/** Lists of values that code gives; a value in another spelling is put into that of the list. */
async function checkLists(ground: RuleGround, drafts: readonly DraftRow[], faults: FaultList): Promise<void> {
  const { table, prose } = ground;
  for (const field of table.fields) {
    const { name } = field;
    if (!prose.has('enumerate', name)) continue;
    const about = drafts.filter(
      (draft) =>
        draft.row[name] !== null && faults.isClean(draft.index) && changedIn(draft)?.has(name) !== false,
    );
    const lists = await runOn(ground, 'enumerate', field, about);
    for (const [at, draft] of about.entries()) {
      const list = lists[at];
      const found = Array.isArray(list)
        ? entryFor(list as readonly Json[], draft.row[name] ?? null)
        : undefined;
      if (found === undefined)
        faults.add(
          draft.index,
          `${labelOf(field)} ${quote(draft.row[name] ?? null)} is none of its values.`,
          name,
        );
      else putValue(ground, draft, field, found, faults);
    }
  }
}

function entryFor(list: readonly Json[], value: Json): Json | undefined {
  const plain = (one: Json): Json => (typeof one === 'object' ? one : String(one).toLowerCase());
  return list.find((one) => sameJson(one, value)) ?? list.find((one) => sameJson(plain(one), plain(value)));
}

async function checkRequired(
  ground: RuleGround,
  drafts: readonly DraftRow[],
  faults: FaultList,
): Promise<void> {
  for (const field of ground.table.fields) {
    const { name, requiredWhen, requiredIf } = field;
    if (requiredWhen === undefined || requiredIf !== undefined || !ground.prose.has('require', name))
      continue;
    const about = drafts.filter(({ row }) => row[name] === null);
    const isWrong = (result: Json | undefined): boolean => result !== false;
    for (const { draft } of await newlyWrong(ground, 'require', field, about, isWrong))
      faults.add(
        draft.index,
        `${labelOf(field)} is required: ${requiredWhen.text.replace(/\.$/, '')}.`,
        name,
      );
  }
}

async function checkValues(
  ground: RuleGround,
  drafts: readonly DraftRow[],
  faults: FaultList,
): Promise<void> {
  for (const field of ground.table.fields) {
    const { name } = field;
    if (!ground.prose.has('validate', name)) continue;
    const about = drafts.filter(({ row }) => row[name] !== null);
    const isWrong = (result: Json | undefined): boolean => result !== null;
    for (const { draft, result } of await newlyWrong(ground, 'validate', field, about, isWrong))
      faults.add(
        draft.index,
        `${labelOf(field)} ${quote(draft.row[name] ?? null)}: ${sentenceOf(result)}`,
        name,
      );
  }
}

/** Nobody knows which fields a rule in words is about, so it holds whatever is changed. */
async function checkRules(
  { prose }: RuleGround,
  drafts: readonly DraftRow[],
  faults: FaultList,
): Promise<void> {
  if (drafts.length === 0) return;
  for (let number = 1; prose.has('rule', String(number)); number++) {
    const cases = drafts.map(({ row, before = null }) => ({ value: before, record: { ...row } }));
    const results = await prose.run('rule', String(number), cases);
    for (const [at, { index }] of drafts.entries()) {
      const result = results[at];
      if (result !== null) faults.add(index, sentenceOf(result));
    }
  }
}

/** What code said; it is refused whatever that was. */
function sentenceOf(result: Json | undefined): string {
  return typeof result === 'string' ? result : 'it is refused.';
}

interface Wrong {
  readonly draft: DraftRow;
  readonly result: Json | undefined;
}

/** Those that a rule refuses. Where a field is not changed, what was refused before as well does not stand in the way. */
async function newlyWrong(
  ground: RuleGround,
  kind: ProseKind,
  field: Field,
  drafts: readonly DraftRow[],
  isWrong: (result: Json | undefined) => boolean,
): Promise<readonly Wrong[]> {
  const results = await runOn(ground, kind, field, drafts);
  const wrong = drafts.flatMap((draft, at) => (isWrong(results[at]) ? [{ draft, result: results[at] }] : []));
  const untouched = wrong.filter(({ draft }) => changedIn(draft)?.has(field.name) === false);
  if (untouched.length === 0) return wrong;
  const earlier = await ground.prose.run(
    kind,
    field.name,
    untouched.map(({ draft: { before = {} } }) => ({ value: before[field.name] ?? null, record: before })),
  );
  const old = new Set(untouched.filter((_one, at) => isWrong(earlier[at])));
  return wrong.filter((one) => !old.has(one));
}

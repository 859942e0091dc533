import { AgentError, type JsonObject, type Output } from '../../../core/index.ts';
import { failedOutput } from '../failed-output.ts';
import type { Ground } from '../ground.ts';
import { counted } from '../show/counted.ts';
import { recordValues } from '../show/record-values.ts';
import { showCondition } from '../show/show-condition.ts';
import { showKey } from '../show/show-key.ts';
import { showRecord } from '../show/show-record.ts';
import { faultLines } from './fault-lines.ts';
import type { ChangePlan } from './plan.ts';
import type { ShownPlan } from './shown-plan.ts';
import type { RequestDraft, TalkEnding, Talk } from './talk.ts';
import type { KeptWrite } from './write-plan.ts';

/** What a conversation went through. */
interface Passed {
  readonly plan?: ChangePlan | undefined;
  readonly shown?: ShownPlan | undefined;
  readonly written?: KeptWrite | undefined;
}

/** What a conversation came to. Whatever was not done is a failure, so that nobody builds on it. */
export async function talkOutput(
  ground: Ground,
  talk: Extract<Talk, { phase: 'done' | 'ended' }>,
  passed: Passed,
): Promise<Output> {
  if (talk.phase === 'ended') return endedOutput(ground, talk, passed);
  if (passed.written !== undefined) return writtenOutput(ground, talk.draft, passed.written, passed);
  const row = passed.plan?.row;
  if (row === undefined) return nothingFound(ground, talk.draft);
  const { records, ...cut } = recordValues([row]);
  return {
    status: 'done',
    text: await showRecord(ground, ground.table.fields, row),
    value: { operation: 'show', record: records[0] ?? null, ...cut },
  };
}

async function writtenOutput(
  ground: Ground,
  { operation }: RequestDraft,
  { added, updated, deleted, rows, isFinal }: KeptWrite,
  { shown }: Passed,
): Promise<Output> {
  const { table, prose, clock } = ground;
  const count = added + updated + deleted;
  const [row, ...others] = rows;
  const isOne = row !== undefined && others.length === 0 && count === 1;
  const what = isOne ? namedByKey(showKey(table, row, clock)) : counted(count, 'record');
  const left = shown?.leftOut ?? 0;
  const lines = [
    `${verbs[operation] ?? 'Changed'} ${what}${places[operation] ?? ' in '}${table.name}.`,
    ...(left > 0 ? [`${counted(left, 'record')} with faults ${left === 1 ? 'was' : 'were'} left out.`] : []),
    ...(isOne && deleted === 0 ? [await showRecord(ground, table.fields, row)] : []),
    ...(operation === 'undo' || isFinal === true ? [] : ['Say "undo" to take it back.']),
  ];
  const value: JsonObject = {
    operation,
    outcome: 'done',
    added,
    updated,
    deleted,
    ...recordValues(rows),
    ...(prose.notEnforced.length === 0 ? {} : { notEnforced: prose.notEnforced }),
  };
  return { status: 'done', text: lines.join('\n'), value };
}

/** A bare number would read as how many there were. */
function namedByKey(key: string): string {
  return /^[\d\s.,-]+$/.test(key) ? `record ${key}` : key;
}

const verbs: Readonly<Partial<Record<RequestDraft['operation'], string>>> = {
  add: 'Added',
  update: 'Changed',
  delete: 'Deleted',
  import: 'Imported',
  undo: 'Took back the change of',
};

const places: Readonly<Partial<Record<RequestDraft['operation'], string>>> = {
  add: ' to ',
  delete: ' from ',
  import: ' into ',
};

function endedOutput(
  ground: Ground,
  { draft, why, faults }: Extract<Talk, { phase: 'ended' }>,
  { shown }: Passed,
): Output {
  if (why === 'none') return nothingFound(ground, draft);
  if (why === 'unchanged') {
    const text = `Nothing had to be changed in ${ground.table.name}: it is so already.`;
    return { status: 'done', text, value: { operation: draft.operation, outcome: 'unchanged' } };
  }
  if (why !== 'refused') return failedOutput(new AgentError(...endings[why]));
  const total = Math.max(shown?.faultCount ?? 0, faults.length);
  const lines = [`Nothing was written to ${ground.table.name}:`, ...faultLines(faults, total)];
  const details = { faults: faults.map((fault) => ({ ...fault })), total };
  const hint =
    draft.operation === 'import'
      ? 'Correct the file, or import it "skipping faulty rows".'
      : 'Correct it, and ask again.';
  return failedOutput(new AgentError('usage.bad-input', lines.join('\n'), { hint, details }));
}

type Told = ConstructorParameters<typeof AgentError>;

const endings: Readonly<Record<Exclude<TalkEnding, 'none' | 'unchanged' | 'refused'>, Told>> = {
  gone: [
    'usage.not-found',
    'What was shown is not there any more. Nothing was changed.',
    { hint: 'Look at the list again.' },
  ],
  overtaken: [
    'usage.not-found',
    'What the last change left was changed since, so it cannot be taken back. Nothing was changed.',
    { hint: 'Make the opposite change.' },
  ],
  cancelled: ['usage.cancelled', 'It was called off. Nothing was changed.', {}],
  'given-up': [
    'usage.cancelled',
    'No answer could be understood. Nothing was changed.',
    { hint: 'Say the whole request again.' },
  ],
  several: [
    'usage.bad-input',
    'Several records fit, and one is meant. Nothing was changed.',
    { hint: 'Name one by its key, or set "many" to true.' },
  ],
};

/** No record is meant: an answer to whoever looked or meant any number, and a failure for whoever wanted to change one. */
function nothingFound({ table, clock }: Ground, draft: RequestDraft): Output {
  const { operation } = draft;
  if (operation === 'undo')
    return failedOutput(
      new AgentError('usage.not-found', 'There is no change of this session that could be taken back.', {}),
    );
  const where = 'where' in draft ? draft.where : undefined;
  const filter = where === undefined ? '' : ` where ${showCondition(table, where, clock)}`;
  const text = `There is no record of ${table.name}${filter}.`;
  if (operation === 'show')
    return {
      status: 'done',
      text: `${text} Say "list" to see what there is.`,
      value: { operation, record: null },
    };
  const isAny = operation === 'import' || 'many' in draft;
  if (isAny)
    return { status: 'done', text: `${text} Nothing was changed.`, value: { operation, outcome: 'none' } };
  return failedOutput(
    new AgentError('usage.not-found', `${text} Nothing was changed.`, {
      hint: 'Say "list" to see what there is.',
    }),
  );
}

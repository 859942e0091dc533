import type { RunSummary } from '../../core/store.ts';
import { count } from '../../doctor/report.ts';
import { durationText, moneyText, tokensText } from '../../views/text.ts';
import type { RunTree } from '../../views/run-node.ts';
import type { NamedUsage, RunUsage } from '../../views/usage.ts';
import type { Terminal } from '../terminal.ts';
import { agoText } from './ago.ts';
import { failuresIn, type Failure } from './failures.ts';
import { pasteable } from './pasteable.ts';
import { runColors } from './run.ts';
import { paint } from './status.ts';
import { cutTo, oneLine } from './text.ts';

const mostLetters = 2_000;

/** One run as facts in lines, safe to print. */
export function describeRun(run: RunSummary, tree: RunTree, usage: RunUsage, terminal: Terminal): string {
  const facts: readonly (readonly [string, string])[] = [
    ['status', paint(run.status, runColors[run.status], terminal)],
    ['skill', oneLine(run.skill)],
    ['prompt', cut(tree.prompt ?? '')],
    ['input', tree.input === tree.prompt ? '' : cut(JSON.stringify(tree.input))],
    ['session', oneLine(run.session)],
    ['prepares', oneLine(run.prepares ?? '')],
    ['rerun of', tree.rerunOf ?? ''],
    ['started', `${new Date(run.startedAt).toISOString()} (${agoText(Date.now() - run.startedAt)})`],
    ['took', durationText(run.updatedAt - run.startedAt)],
    ['worked', durationText(usage.total.activeMs)],
    ['calls', callsText(tree)],
    ['used', usedText(usage.total)],
    ['owner', oneLine(run.owner)],
    ['answer', tree.output?.status === 'done' ? cut(tree.output.text) : ''],
    [
      'error',
      tree.output?.status === 'failed' ? cut(`${tree.output.error.code}: ${tree.output.error.message}`) : '',
    ],
    [
      'hint',
      tree.output?.status === 'failed' ? pasteable(oneLine(tree.output.error.hint ?? ''), terminal) : '',
    ],
  ];
  const shown = facts.filter(([, value]) => value !== '');
  const width = Math.max(...shown.map(([key]) => key.length));
  const head = paint(run.id, 'bold', terminal);
  const lines = shown.map(([key, value]) => `${key.padEnd(width)}  ${value}`);
  return `${[head, '', ...lines, ...partsOf(usage), ...failureLines(failuresIn(tree))].join('\n')}\n`;
}

function cut(text: string): string {
  return cutTo(oneLine(text), mostLetters);
}

function callsText({ counts }: RunTree): string {
  const { frames, leafCalls, refusals, modelSteps, steps } = counts;
  const parts = [
    count(frames + leafCalls, 'call'),
    ...(refusals > 0 ? [`${refusals} refused`] : []),
    ...(modelSteps > 0 ? [count(modelSteps, 'model step')] : []),
    ...(steps > 0 ? [count(steps, 'step')] : []),
  ];
  return parts.join(', ');
}

function usedText(usage: RunUsage['total']): string {
  const tokens = usage.inputTokens + usage.outputTokens > 0 ? [tokensText(usage)] : [];
  return [...tokens, ...(usage.cost === undefined ? [] : [moneyText(usage.cost)])].join(', ');
}

function partsOf({ bySkill, byModel }: RunUsage): readonly string[] {
  const line = (row: NamedUsage): string => {
    const parts = [count(row.calls, 'call'), durationText(row.activeMs), usedText(row)];
    return `  ${oneLine(row.name)}: ${parts.filter((part) => part !== '').join(', ')}`;
  };
  const section = (title: string, rows: readonly NamedUsage[]): readonly string[] =>
    rows.length === 0 ? [] : ['', title, ...rows.map(line)];
  return [...section('By skill:', bySkill.length > 1 ? bySkill : []), ...section('By model:', byModel)];
}

function failureLines(failures: readonly Failure[]): readonly string[] {
  if (failures.length === 0) return [];
  const line = ({ path, error }: Failure): string => {
    const why = error === undefined ? 'cut off' : `${error.code}: ${error.message}`;
    return `  ${oneLine(path.join(' › '))}: ${cut(why)}`;
  };
  return ['', 'Failed:', ...failures.map(line)];
}

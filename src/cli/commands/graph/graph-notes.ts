import type { CallEdge, CallGraph } from '../../../agent/call-graph.ts';
import type { RecursiveSkilledAgent } from '../../../config/preset.ts';
import { count } from '../../../doctor/report.ts';
import type { Invocation } from '../../command.ts';
import { firstStep } from '../../first-step.ts';
import { firstOf } from './caller-text.ts';

const mostMissing = 5;

/** What to say beside the whole graph: how to begin, names that lead nowhere, what the drawing leaves out. */
export function graphNotes(
  agent: RecursiveSkilledAgent,
  { nodes, edges }: CallGraph,
  { flags, own }: Pick<Invocation, 'flags' | 'own'>,
): readonly string[] {
  const skills = nodes.filter((node) => node.kind === 'skill').filter(({ status }) => status === 'ready');
  const missing = nodes.filter(({ kind }) => kind === 'missing').map(({ name }) => name);
  const isPicture = own['mermaid'] === true || own['dot'] === true;
  const others = skills.filter(({ source }) => source !== 'bundled');
  const drawn = new Set(edges.flatMap(({ from, to }) => (isPicture ? [from, to] : [from])));
  const free = new Set(edges.filter(isFree).map(({ from }) => from));
  const silent = skills.filter(({ name, source }) => source === 'bundled' && !drawn.has(name)).length;
  const notes: string[] = [];
  if (others.length === 0) notes.push(...firstStep(agent, flags));
  else if (others.every(({ name }) => free.has(name))) notes.push(noLists);
  if (missing.length > 0) notes.push(lost(missing));
  if (silent > 0) notes.push(leftOut(silent, isPicture));
  return notes;
}

const noLists =
  'No skill of yours has a list: each may call every other. A list of allowed skills or tools in its file narrows that.';

function isFree({ group }: CallEdge): boolean {
  return group !== undefined && group.rules === undefined && group.except === undefined;
}

/** Boxes also stand for what is only called. */
function leftOut(skills: number, isPicture: boolean): string {
  const which = isPicture ? 'that may call nothing and stand on no list' : 'that may call nothing';
  return `Left out: ${count(skills, 'built-in skill')} ${which}.`;
}

function lost(names: readonly string[]): string {
  const lead = names.length === 1 ? 'leads' : 'lead';
  return `${count(names.length, 'name')} on lists ${lead} to no skill: ${firstOf(names, mostMissing)}.`;
}

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RecursiveSkilledAgent } from '../src/config/preset.ts';
import { bundleOfText } from '../src/core/descriptor/bundle.ts';
import { isAgentError, toErrorData, type ErrorCode, type ErrorData } from '../src/core/error.ts';
import { defineFamily, type Family } from '../src/core/family.ts';
import type { Json } from '../src/core/json.ts';
import type { Policy } from '../src/core/policy.ts';
import { builtinFamilies } from '../src/families/index.ts';
import { createScriptedModel } from '../src/models/scripted.ts';
import { agentOn } from './agent.ts';
import { skillFilesOf, type Workload } from './data.ts';
import type { Row } from './measure.ts';
import { countCommands } from './oracle.ts';

const hostile = 'x; touch PWNED $(id) `id` "quoted" \'single\' \\ !`id`\n```!\nid\n```';
const inputs: readonly Json[] = [null, hostile, { input: hostile, name: hostile, n: 1 }, [hostile, '-rf']];

/** The totals for all skills. */
interface Tally {
  skills: number;
  used: number;
  rendered: number;
  crashes: number;
  /** The number of commands that the renderer finds in the texts of the skills. */
  commands: number;
  /**
   * The number of commands that were requested when the skills were used, excluding the commands of hooks.
   */
  asked: number;
  hooks: number;
  /**
   * The number of commands that the renderer finds after one was appended to each text. `overlooked` is the
   * number of texts in which the independent count finds more.
   */
  planted: number;
  overlooked: number;
  readonly refused: Map<string, number>;
  readonly faults: string[];
}

/**
 * D5: loads, calls and renders every real skill with arguments. The skills are not trusted, so none of their
 * commands run. All requested commands are counted.
 */
export async function measureEntryPoints(
  workload: Workload,
  scratch: string,
): Promise<{ readonly rows: readonly Row[]; readonly faults: readonly string[] }> {
  const none = { skills: 0, used: 0, rendered: 0, crashes: 0, commands: 0, asked: 0, hooks: 0, planted: 0 };
  const tally: Tally = { ...none, overlooked: 0, refused: new Map(), faults: [] };
  const workspace = join(scratch, 'doors');
  mkdirSync(workspace, { recursive: true });
  const files = skillFilesOf(workload);
  for (const file of files) {
    const path = join(workload.root, file);
    try {
      await useSkill(path, workspace, tally);
      findPlanted(path, join(scratch, 'planted', file), tally);
    } catch (thrown) {
      tally.crashes++;
      const reason = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
      tally.faults.push(`crash: ${path}: ${reason}`);
    }
  }
  return { rows: rowsOf(tally), faults: tally.faults };
}

function rowsOf(tally: Tally): readonly Row[] {
  const { skills, used, rendered, crashes, commands, asked, hooks, planted, overlooked, refused } = tally;
  const reasons = [...refused].map(([reason, count]) => `${count} ${reason}`).join(', ');
  const row = (what: string, figure: string): Row => ({ id: 'D5', what, figure });
  return [
    {
      ...row('skills loaded and called; rendered with arguments; crashes', ''),
      figure: `${used} of ${2 * skills}; ${rendered} of ${inputs.length * skills}; ${crashes}`,
      target: 'all, all, 0',
      met: crashes === 0,
    },
    row('refused, by reason', reasons === '' ? 'none' : reasons),
    {
      ...row('commands in their texts; asked for; asked for by hooks', `${commands}; ${asked}; ${hooks}`),
      target: 'none that a second opinion does not find',
      met: tally.faults.length === 0,
    },
    row(
      'a command put behind each text: found; seen by the second opinion alone',
      `${planted} of ${skills}; ${overlooked}`,
    ),
  ];
}

/** Loads a skill, calls it and renders it. */
async function useSkill(file: string, workspace: string, tally: Tally): Promise<void> {
  const models = createScriptedModel(() => 'Done.');
  const options = { families: everywhere, models, policy: noProcesses, workspace, embeddings: false };
  await using agent = agentOn(dirname(file), options);
  const name = nameOf(agent, file);
  const intended = countCommands(bodyOf(file));
  tally.skills++;
  for (const mode of [{ mode: 'load' } as const, {}]) {
    const { status, error, runId } = await agent.run({ skill: name, ...mode }).result;
    const asked = await commandsAsked(agent, runId);
    tally.asked += asked.texts;
    tally.hooks += asked.hooks;
    if (asked.texts > intended)
      tally.faults.push(`${asked.texts} commands asked for, ${intended} meant: ${file}`);
    if (status === 'done') tally.used++;
    else refuse(tally, error, file);
  }
  for (const args of inputs) {
    const commands = rendered(agent, name, args, (error) => {
      refuse(tally, error, file);
    });
    if (commands === undefined) continue;
    tally.rendered++;
    if (args === null) tally.commands += commands;
    if (commands > intended) tally.faults.push(`${commands} commands, ${intended} meant: ${file}`);
  }
}

const noProcesses: Policy = {
  decide: ({ permission }) =>
    permission.runsProcesses === true
      ? { decision: 'deny', reason: 'nothing of strangers runs here.' }
      : { decision: 'allow' },
};

/** Counts the `bash` calls that a run requested or that started despite the policy. */
async function commandsAsked(
  agent: RecursiveSkilledAgent,
  runId: string,
): Promise<{ texts: number; hooks: number }> {
  const keys = (await agent.runs.events(runId)).flatMap((event) =>
    (event.type === 'call.refused' || event.type === 'frame.started') && event.skill === 'bash'
      ? [event.key]
      : [],
  );
  const hooks = keys.filter((key) => key.includes('hook-')).length;
  return { texts: keys.length - hooks, hooks };
}

/**
 * Returns the number of commands that the renderer finds in a skill with an input, or undefined if the skill
 * rejects the input.
 */
function rendered(
  agent: RecursiveSkilledAgent,
  name: string,
  args: Json,
  onRefusal: (error: ErrorData) => void,
): number | undefined {
  try {
    return agent.render(name, { args }).commands.length;
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    onRefusal(toErrorData(thrown));
    return undefined;
  }
}

/**
 * The errors that a skill may return if it is used incorrectly or if a file or skill to which it refers is
 * missing.
 */
const expected: readonly ErrorCode[] = ['usage.bad-input', 'skill.not-found', 'policy.denied'];

function refuse({ refused, faults }: Tally, error: ErrorData | undefined, file: string): void {
  const { code = 'internal.bug', message = 'it neither ended well nor failed' } = error ?? {};
  refused.set(code, (refused.get(code) ?? 0) + 1);
  if (!expected.includes(code)) faults.push(`crash: ${code} ${message}: ${file}`);
}

/**
 * Appends a command to a skill's text and counts the commands that the renderer finds. More commands than the
 * independent count finds are a fault.
 */
function findPlanted(file: string, copy: string, tally: Tally): void {
  mkdirSync(dirname(copy), { recursive: true });
  writeFileSync(copy, `${readFileSync(file, 'utf8').trimEnd()}\n\n!\`echo planted\`\n`);
  const agent = agentOn(dirname(copy), { families: everywhere, embeddings: false });
  const { commands } = agent.render(nameOf(agent, copy), { args: hostile });
  const intended = countCommands(bodyOf(copy));
  tally.planted += commands.length;
  if (commands.length < intended) tally.overlooked++;
  if (commands.length > intended)
    tally.faults.push(`${commands.length} commands, ${intended} meant: ${copy}`);
}

/** The built-in families without the requirements of skills, so that every skill can be used. */
const everywhere: readonly Family[] = builtinFamilies.map((family) =>
  defineFamily({
    ...family,
    parse(bundle) {
      const parsed = family.parse(bundle);
      const { requires: _requires, ...card } = parsed.card;
      return { ...parsed, card };
    },
  }),
);

function nameOf(agent: RecursiveSkilledAgent, file: string): string {
  const skill = agent.skills.list().find((one) => one.file === file);
  return `explicit:${skill?.name ?? ''}`;
}

function bodyOf(file: string): string {
  const dir = dirname(file);
  return bundleOfText(readFileSync(file, 'utf8'), { dir, file, stem: dir, loose: false }).body;
}

import { accessSync, constants, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runCommandLine } from '../src/cli/command-line.ts';
import { shellWord } from '../src/cli/output/command-text.ts';
import { spellCommand } from '../src/cli/spell-command.ts';
import { processTerminal } from '../src/cli/terminal.ts';
import { findSandboxSupport } from '../src/sandboxes/sandbox-support.ts';

const workshop = path.join(import.meta.dirname, '..', 'examples', 'workshop');
const prompt = 'Prepare the morning report of the workshop';
const furtherSkill = 'repair-order';
const patience = 45; // the time limit for the model's follow-up answer, in seconds

// A folder that is named explicitly is trusted. `--only` excludes the other skills on this machine.
const skills = path.join(workshop, 'skills');
const flags = ['--cwd', workshop, '--skills', skills, '--only', '--yes'];
const context = { flags: { cwd: workshop, skills: [skills] }, own: {}, lists: {} };

/**
 * Lets the example workshop prepare its morning report. If a model is configured, also asks a follow-up
 * question. Returns the exit code.
 */
export async function showWorkshop() {
  const folder = prepareStore();
  const terminal = shownTerminal();
  const say = (line) => terminal.err(`${line}\n`);
  const model = await findModel();
  const sandboxSupport = await findSandboxSupport();
  say(model === undefined ? 'No model was found, and none is needed here.' : `The model ${model} was found.`);
  say(`Runs and records are kept in ${folder}.`);
  if (sandboxSupport.kind === 'none')
    say(`Code runs without a sandbox: ${sandboxSupport.reason.replace(/\.?$/, '.')} ${sandboxSupport.hint}`);
  const fault = await fillTable();
  if (fault !== undefined) {
    say(fault);
    return 1;
  }
  say(`\n$ ${spellCommand(`skilled run "${prompt}"`, context)}`);
  const report = await runOn(terminal, ['run', prompt]);
  if (report.code === 0 && model !== undefined) await askFurther(report.out, say, terminal);
  return report.code;
}

// Runs and records are stored in the workshop, where git ignores them.
function prepareStore() {
  const folder = path.join(workshop, '.skilled');
  try {
    accessSync(folder, constants.W_OK);
    return path.relative(process.cwd(), folder);
  } catch {
    return useTemporaryFolder(); // the checkout is read-only
  }
}

function useTemporaryFolder() {
  const folder = mkdtempSync(path.join(tmpdir(), 'skilled-'));
  process.env.SKILLED_STORE = path.join(folder, 'skilled.db');
  process.env.SKILLED_DATABASE = path.join(folder, 'tables.db');
  process.env.SKILLED_PROGRAM = `SKILLED_STORE=${shellWord(process.env.SKILLED_STORE)} ${process.env.SKILLED_PROGRAM}`;
  return folder;
}

// Returns a terminal that shows the tree of calls even if stderr is not a terminal.
function shownTerminal() {
  const terminal = processTerminal(process.env.NO_COLOR ? 'never' : 'auto');
  const still = { screen: () => ({ columns: 100, rows: 50 }), show: () => undefined, wipe: () => undefined };
  return { ...terminal, live: terminal.live ?? still };
}

async function findModel() {
  const { document } = await readDocument(['models']);
  return document?.uses?.[0]?.models[0];
}

// Fills the table unless it already has records, so that the next report shows how they have changed.
async function fillTable() {
  if (await hasRecords()) return undefined;
  const file = 'records/equipment.csv';
  const { code, document, out, err } = await request({ operation: 'import', file, confirm: false });
  if (code === 0 || (await hasRecords())) return undefined; // another process may have filled the table first
  return `The table of equipment cannot be filled: ${document?.error?.message ?? `${out}${err}`}`;
}

async function hasRecords() {
  const { document } = await request({ operation: 'count' });
  return document?.value?.count > 0;
}

function request(input) {
  return readDocument(['run', '--skill', 'equipment', '--args-json', JSON.stringify(input)]);
}

// Asks a follow-up question. If the model does not answer, the report has already been printed.
async function askFurther(report, say, terminal) {
  say(`\n$ ${spellCommand(`skilled run /${furtherSkill} "<the report>"`, context)}`);
  const { document } = await readDocument([
    'run',
    '--skill',
    furtherSkill,
    '--args-json',
    JSON.stringify(report),
    '--timeout',
    String(patience),
  ]);
  const { first, why } = document?.value ?? {};
  if (first !== undefined) terminal.out(`Repair first: ${first}. ${why}\n`);
  else
    say(
      `The model gave no answer: ${document?.error?.message ?? 'none came.'} Check it: ${spellCommand('skilled models --check', undefined)}`,
    );
}

async function readDocument(args) {
  const ended = await runOn(silentTerminal, [...args, '--json']);
  try {
    return { ...ended, document: JSON.parse(ended.out) };
  } catch {
    return ended; // output that is not a JSON document is shown unchanged
  }
}

const silentTerminal = {
  out: () => undefined,
  err: () => undefined,
  progress: () => undefined,
  color: false,
};

async function runOn(terminal, args) {
  const ended = { out: '', err: '' };
  const record = (kind) => (text) => {
    ended[kind] += text;
    terminal[kind](text);
  };
  const code = await runCommandLine([...args, ...flags], {
    ...terminal,
    out: record('out'),
    err: record('err'),
  });
  return { ...ended, code };
}

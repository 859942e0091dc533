// Records the run that `skilled demo` shows. The real agent runs in a copy of the example workshop, and
// scripts/demo/script.js supplies the texts of the models and the user. Run this script after changing the
// events or the skills in that run.
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { RecursiveSkilledAgent } from '../src/index.ts';
import { createScriptedModel } from '../src/testing/index.ts';
import { answers, facts, frontDesk, openJobs, prompt, turnOf } from './demo/script.js';

const root = path.join(import.meta.dirname, '..');
const temporary = realpathSync(mkdtempSync(path.join(tmpdir(), 'skilled-demo-')));
const workshop = path.join(temporary, 'workshop');
const readingTime = 5_000; // milliseconds until the user answers

try {
  const text = textOf(await record(setUp()));
  const missing = facts.filter((fact) => !text.includes(fact));
  if (missing.length > 0) throw new Error(`The log does not hold ${missing.join(', ')}.`);
  writeFileSync(path.join(root, 'assets', 'demo.jsonl'), text);
} finally {
  rmSync(temporary, { recursive: true, force: true });
}

function setUp() {
  cpSync(path.join(root, 'examples', 'workshop'), workshop, { recursive: true });
  const folder = path.join(workshop, 'skills', 'office', 'front-desk');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'oskill.md'), frontDesk);
  return new RecursiveSkilledAgent({
    startDir: workshop,
    additionalSkillRoots: ['skills'], // trusted, because it is named explicitly
    only: true,
    settings: { all: { workshop: { currency: 'EUR' } } },
    models: {
      plan: createScriptedModel(turnOf, { id: 'demo/planner' }),
      execution: createScriptedModel(turnOf, { id: 'demo/worker' }),
    },
    embeddings: false,
  });
}

async function record(agent) {
  try {
    const seeded = await agent.run({ skill: 'repair-jobs', input: openJobs, roles: ['Office'] }).result;
    if (!seeded.ok) throw new Error(`The jobs were not added: ${JSON.stringify(seeded)}`);
    const result = await runToEnd(agent, agent.run({ prompt, roles: ['Office'] }));
    if (!result.ok) throw new Error(`The run came to nothing: ${JSON.stringify(result)}`);
    return await agent.runs.events(result.runId);
  } finally {
    await agent.shutdown();
  }
}

/** Answers every question of a run in place of the user. */
async function runToEnd(agent, handle) {
  const result = await handle.result;
  if (result.status !== 'waiting') return result;
  const { id, kind, text } = result.question;
  const given = answers.find(({ asked }) => asked.test(text));
  if (given === undefined) throw new Error(`Nobody answers: ${kind} ${text}`);
  await wait(readingTime);
  await agent.runs.answer(result.runId, given.answer, id);
  return runToEnd(agent, agent.runs.resume(result.runId));
}

/** Formats the log without the values that depend on this machine. */
function textOf(events) {
  const lines = events.map((event) => {
    const shown = event.type === 'run.resumed' ? { ...event, owner: 'the terminal' } : event;
    return `${JSON.stringify(shown)}\n`;
  });
  return lines.join('').replaceAll(workshop, '/workshop');
}

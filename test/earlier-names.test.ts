/* eslint-disable @typescript-eslint/no-deprecated -- the names of release 0.1 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type * as library from '../src/index.ts';
import type * as testing from '../src/testing/index.ts';
import { installedPackage } from './support/installed.ts';
import { sourceFile } from './support/source-file.ts';
import { tree } from './support/tree.ts';

test('a program for release 0.1 has the same results, with one warning for each changed name', async () => {
  using files = tree();
  cpSync(sourceFile('test/fixtures/earlier-names/program.js'), files.at('program.mjs'));
  mkdirSync(files.at('node_modules'));
  symlinkSync(installedPackage, files.at('node_modules', 'skilled'));
  const env = { HOME: files.at('home'), PATH: '/usr/bin:/bin' };
  const options = { cwd: files.path, env };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['program.mjs'], options);
  assert.equal(stdout.trimEnd(), printed);
  const said = stderr
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('(Use `node --trace-deprecation'));
  const pattern =
    /^\(node:\d+\) \[SKILLED_RENAMED\] DeprecationWarning: (.+) is now (.+)\. The next release removes the old name\.$/;
  const warnings = said.map((line) => pattern.exec(line)?.slice(1) ?? [line, '']);
  assert.deepEqual(warnings.sort(), Object.entries(renamed).sort());
});

/** The exact output of the program with the package of release 0.1. */
const printed = String.raw`made: true undefined
ids: true true true
who: 1 "s1" ["editor"] {} ""
callable: ["closing-time","note","spend","tell-hours","told","whose"] "listed" ["closing-time","look","note","spend","tell-hours","told","whose"]
files: true true
skills: "tell-hours" true
found: [{"name":"closing-time","description":"The last round."}]
catalog: 1
injected: true
heard: []
sandbox: {"exitCode":0,"stdout":"ran","stderr":""}
code: "stub"
snippet: {"value":2,"log":""}
kept: {"opened":true}
servers: [] "usage.bad-settings"
server: "http://127.0.0.1:9/"
vouched: undefined
records: "a place of its own" [{"one":1}]
provided: "helper" true "2: it"
loaded: "Loaded:\n- Lights\n- Alarm"
leave: "nothing was done"
told: "{\"maxTicks\":3}"
limited call: "failed" "limit.money"
run: "done" "Looked in s1."
for ann alone: "policy.denied"
too much: "limit.money"
enough: "answer 1, answer 1"
through load: "Loaded:\n- Lights\n- Alarm"
through build: "Built {\"force\":true}"
wanted: "default  {\"maxTicks\":2}"
prompt: "s2 guest {\"maxTicks\":4}"
words: "Is it closing time?: - Lights\n- Alarm"
ad hoc: "Xylophone lessons on Tuesday!: Xylophone lessons on Tuesday! (loop)"
by name: {"preparedAtDepth":1}
asked: "waiting" "Sign it?"
in between: "done" "Sign it?"
answered: "Signed: yes"
session: "s3 editor,guest {}"
session of bob: "policy.denied"
note: "accepted once, accepted again"
inspected: {"status":"current","files":[],"issues":[]}
rendered: "- Lights\n- Alarm ({\"item\":\"x\"} in s4)"
decided about look: {"contained":true,"made":true,"runsCode":false}
decided about closing-time: {"contained":true,"made":false,"runsCode":true}
decided about note: {"contained":true,"made":false,"runsCode":true}
decided about told: {"contained":true,"made":true,"callerMade":true,"runsCode":false}
grants: [true,true]
opened: "memory"
places: {"line":1,"column":1} {"line":1,"column":7} {"line":1,"column":12}
checked: [[1,null,null],[2,12,33],[3,null,31]]
plan: [7,18,7]
kept: [["list",true],["said",true],["said",true],["said",false],["last",false]]
test scope: [{"role":"user","text":"Hello."}] {"maxTicks":7} "r_test"
lives: 1 1
views: 0 0 0`;

const scopeMembers = {
  callable: 'skills.callable',
  catalog: 'skills.catalog',
  database: 'resources.database',
  depth: 'run.depth',
  find: 'skills.find',
  frameId: 'run.frameId',
  heard: 'history',
  idempotencyKey: 'run.idempotencyKey',
  inject: 'skills.inject',
  isLoadable: 'skills.isLoadable',
  keep: 'resources.open',
  listed: 'skills.listed',
  lookUp: 'skills.lookUp',
  provide: 'skills.provide',
  readable: 'files.readable',
  roles: 'run.roles',
  runCode: 'processes.runCode',
  runId: 'run.id',
  runSnippet: 'processes.runSnippet',
  sandbox: 'processes.sandbox',
  server: 'resources.server',
  servers: 'resources.servers',
  session: 'run.session',
  stdin: 'request.stdin',
  vouch: 'attest',
  wanted: 'request.overrides',
  workspace: 'files.workspace',
};

const familyMembers = {
  accept: 'input.accept',
  adHoc: 'prompts.assistant',
  answers: 'prompts.answers',
  build: 'generation.build',
  defaultArgument: 'input.defaultArgument',
  firstWords: 'authoring.examplePrompt',
  hook: 'text.hook',
  inspect: 'generation.inspect',
  isDue: 'generation.isDue',
  lint: 'authoring.lint',
  load: 'text.load',
  permission: 'permission.describe',
  prepare: 'generation.prepare',
  preparesEarly: 'generation.isEarly',
  purpose: 'authoring.purpose',
  readsWords: 'input.acceptsText',
  recognises: 'prompts.recognises',
  render: 'text.render',
  runsCode: 'permission.runsCode',
  template: 'authoring.template',
  templateFrom: 'authoring.templateFrom',
};

const renamed = {
  ...below('scope', scopeMembers),
  ...below('FamilySpec', familyMembers),
  'Argument.place': 'Argument.position',
  'CallOptions.leaveOnly': 'CallOptions.permissionOnly',
  'CallOptions.through': 'CallOptions.mode',
  'CallOptions.wanted': 'CallOptions.overrides',
  'Database.place': 'Database.location',
  'Grant.keep': 'Grant.readOnly',
  'MemoryStoreOptions.mostEndedRuns': 'MemoryStoreOptions.maxEndedRuns',
  'PermissionRequest.contained': 'PermissionRequest.isSandboxed',
  'PermissionRequest.made': 'PermissionRequest.isDefinedInCode',
  'PermissionSubject.made': 'PermissionSubject.isDefinedInCode',
  'PlanStep.commandPlace': 'PlanStep.commandPosition',
  'PlanStep.place': 'PlanStep.position',
  'PromptOptions.wanted': 'PromptOptions.overrides',
  'RunRequest.roles': 'RunRequest.user.roles',
  'RunRequest.through': 'RunRequest.mode',
  'RunRequest.user as text': 'RunRequest.user.id',
  'RunRequest.wanted': 'RunRequest.overrides',
  'Skill.made': 'Skill.codeDefinition',
  'Snippet.mostOutput': 'Snippet.maxOutput',
  'SopEvent.isKept': 'SopEvent.isReused',
  'TestScopeOptions.heard': 'TestScopeOptions.history',
  'TestScopeOptions.wanted': 'TestScopeOptions.overrides',
  'ToolServer.place': 'ToolServer.endpoint',
  'limits.money': 'limits.cost',
  liveThrough: 'runWithCrashes',
  timelineOf: 'buildTimeline',
  usageOf: 'sumUsage',
  whyOf: 'explainRun',
  'session(id, user, roles)': 'session(id, { user: { id, roles } })',
};

function below(owner: string, members: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(members).map(([old, current]) => [`${owner}.${old}`, `${owner}.${current}`]),
  );
}

/** Never called. The type checker checks code that was written for release 0.1. */
async function typed(
  agent: library.RecursiveSkilledAgent,
  scope: library.Scope,
  { createMemoryStore, createTestScope, liveThrough }: typeof testing,
): Promise<void> {
  const wanted: library.Wanted = { maxTicks: 2 };
  const limits = { money: 1 };
  await agent.run({ skill: 'x', user: 'ann', roles: ['editor'], through: 'load', wanted, limits }).result;
  await agent.executePrompt('x', { context: { user: { id: 'ann' } }, wanted, limits });
  await agent.session('s', 'ann', ['editor']).skill('x');
  await agent.session('s', undefined, ['editor']).skill('x');
  await scope.call('x', null, { through: 'build', wanted, limits, leaveOnly: true });
  await scope.runSnippet({ code: '', input: null, mostOutput: 1 });
  await scope.vouch({ dir: '', from: '', to: '' });
  const messages: readonly library.Message[] = await scope.heard(1);
  const ids: readonly [string, string, number, library.Wanted] = [
    scope.runId,
    scope.session,
    scope.depth,
    scope.wanted,
  ];
  createTestScope({ heard: messages, wanted, stdin: ids[0] });
  const work: testing.Work<number> = {
    open: () => createMemoryStore({ mostEndedRuns: 1 }),
    live: ({ number }: testing.Life) => Promise.resolve(number),
  };
  const trial: testing.Trial<number> = await liveThrough(work, []);
  assert.ok(trial.lives);
}

/** The types with old names equal those with new names. */
type Renamed = [
  Same<library.LastingLeave, library.LastingApproval>,
  Same<library.RenderPlace, library.RenderContext>,
  Same<library.Entrance, library.CallMode>,
  Same<library.Wanted, library.CallOverrides>,
  Same<library.Made, library.GeneratedCode>,
  Same<library.MadeFile, library.GeneratedFile>,
  Same<library.KeptArtifact, library.ArtifactSummary>,
  Same<library.DatabaseGround, library.DatabaseOptions>,
  Same<library.Place, library.ScriptPosition>,
  Same<testing.Life, testing.Incarnation>,
  Same<library.Argument, library.PlanArgument>,
  Same<library.Command, library.ProcessCommand>,
  Same<library.CommandResult, library.ProcessResult>,
  Same<library.Completion, library.CompletionRequest>,
  Same<library.Entry, library.StoreEntry>,
  Same<library.Guard, library.PlanGuard>,
  Same<library.Later, library.BackgroundCall>,
  Same<library.Literal, library.PlanLiteral>,
  Same<library.Missing, library.MissingRequirement>,
  Same<library.Parts, library.InputParts>,
  Same<library.Reason, library.RunDecision>,
  Same<library.Reference, library.PlanReference>,
  Same<library.Result, library.LoopResult>,
  Same<library.Results, library.LoopResults>,
  Same<library.Role, library.ModelRole>,
  Same<library.ToolChoice, library.LoopTools>,
  Same<library.Condition, library.ToolCondition>,
  Same<library.Loaded, library.LoadedSkillText>,
  Same<library.Verdict, library.CommandVerdict>,
];
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

const areSame: Renamed = [
  ...[true, true, true, true, true, true, true, true, true, true, true, true, true],
  ...[true, true, true, true, true, true, true, true, true, true, true, true, true],
  ...[true, true, true],
] as const;

test('what a program for release 0.1 says of types passes the type checker', () => {
  assert.equal(typeof typed, 'function'); // the type checker has checked it
  assert.ok(areSame.every((isSame) => isSame));
});

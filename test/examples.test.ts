import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { parseJsonWithComments } from '../src/core/json/jsonc.ts';
import { builtinFamilies, RecursiveSkilledAgent, type Issue, type JsonObject } from '../src/index.ts';
import { call, documentOf, leaveHome } from './support/command.ts';
import { compileCache } from './support/compile-cache.ts';
import { linkPackages } from './support/link-packages.ts';
import { tree, type Tree } from './support/tree.ts';

leaveHome();

const root = join(import.meta.dirname, '..');
const workshop = join(root, 'examples', 'workshop');

const outputs: Readonly<Record<string, readonly string[]>> = {
  '01-list-skills.ts': [
    'collection-label (agent-skill): Set the environment variable LABEL_PRINTER_URL',
    'equipment (table): ready',
    'evening-note (agent-skill): ready',
    'gear-ratio (dynamic-code): ready',
    'invoice-number (code-skill): ready',
    'morning-briefing (orchestrator): ready',
    'morning-report (orchestrator): ready',
    'notice-board (mcp): ready',
    'opening-hours (agent-skill): ready',
    'parts-buyer (subagent): ready',
    'parts-catalogue (mcp): ready',
    'repair-jobs (table): ready',
    'repair-order (agent-skill): ready',
    'repair-quote (agent-skill): ready',
    'report-sheet (code-skill): ready',
    'tyre-size (code-skill): ready',
    'repair-quote is one of ',
  ],
  '02-define-a-skill.ts': [
    'vat belongs to the family function and the source explicit.',
    'Its input: net, percent.',
    'skill.duplicate: A skill "vat" is already registered.',
    'agent-skill: instructions instead of a function.',
    'Removed: true. Still there: false.',
  ],
  '03-watch-skills.ts': [
    'version 2: greeting was added',
    'version 3: greeting was changed',
    'Now it says: Greets a customer by name.',
    'version 4: greeting was removed',
  ],
  '04-your-own-family.ts': [
    'closing-time: ready',
    'empty: invalid (checklist.empty: The checklist has no steps.)',
    'By its family: The last round.',
  ],
  '05-run-skills.ts': [
    'waiting: Order chain?',
    'Ordered chain: number 4711.',
    '16 events, 2 leaf calls, 1 refusal',
    'skill-selected: "order" was chosen by its name.',
    'call-refused: The call to "order" was refused (limit.cycle): "order" is already running with the same input',
    'question-asked: "order" asked: Order chain?',
    'taken-up: resumed by ',
    'question-answered: The answer to "Order chain?" was "yes".',
  ],
  '06-think.ts': ['research', '  glob', '  grep', 'One table is described.', 'The tokens are counted.'],
  '07-run-a-plan.ts': [
    'asking for the price of 2 × chain',
    "waiting { ok: 'Order it?' }",
    'done Ordered 2 for 38 : number 4711 ("chain")',
  ],
  '08-ask-in-words.ts': [
    'loan-bicycle, waiting: Which size?',
    'morning-briefing, done: Two jobs are due, and you close at one.',
    'loan-bicycle, done: Number 7 stands ready. (the same run)',
    'morning-briefing, done: The red one first. (it heard)',
    'Scores of orchestrators, by keywords: "morning-briefing" ',
    '"morning-briefing" was chosen by the ranking: ',
    'sessions: ann, ben',
  ],
  '09-code-skills.ts': [
    'tyre-size: {"diameter_mm":696,"circumference_mm":2187}',
    'invoice-number (current): 2026-0148',
    'The spec says more: due.',
    'Generating src/number.ts (1 of 2).',
    'Generating src/index.ts (2 of 2).',
    'invoice-number: 2 files generated. Now it is current; the model was asked 2 times.',
    'failed: "invoice-number": src/index.ts failed: 2026-0147 is of 2026, and 2025',
  ],
  '10-tables.ts': [
    'Added 3 records to Bicycles.',
    'Say "undo"',
    'failed: "records[0].kind" is invalid: "kind" must be one of "city", "cargo", "racing", not "unicycle".',
    'tag  kind   status     bought      price',
    '---  ',
    'C-2  city   in repair  2026-01-15  700.5',
    'L-1  cargo  lent       2026-03-09   4200',
    '2 records of Bicycles.',
    '2 records of Bicycles where ',
    'kind   sum of price',
    '-----  ',
    'cargo          4200',
    'city         1349.5',
    '2 groups.',
    'Wrote 3 records of Bicycles to exports/bicycles.csv.',
    'tag,kind,status,bought,price',
    'C-1,city,ready,2025-04-02,649',
    'C-2,city,in repair,2026-01-15,700.5',
    'L-1,cargo,lent,2026-03-09,4200',
    'waiting: Change this record of Bicycles?',
    'C-2:',
    '  status: in repair → ready',
    'Say yes or no',
    'Changed C-2 in Bicycles.',
    'tag:    C-2',
    'kind:   city',
    'status: ready',
    'bought: 2026-01-15',
    'price:  700.5',
    'Say "undo"',
  ],
  '11-mcp.ts': [
    'notice-board',
    '  board.list_directory',
    '  board.read_text_file',
    'The big stand is being repaired: use the one by the window.',
    'Ann collects the cargo bicycle at four.',
    ' [FILE] holidays.md',
    '[FILE] today.md',
    '{"status":"success","value":{"content":"[FILE] holidays.md\\n[FILE] today.md"}}',
    'Once more: done',
  ],
  '12-policies.ts': [
    'Manager: {"operation":"import","file":"customers/records.csv","confirm":false}',
    'Imported 5 records into Customers.',
    'Say "undo"',
    'Manager: {"operation":"import","file":"orders/records.csv","confirm":false}',
    'Imported 12 records into Orders.',
    'Say "undo"',
    'Clerk: list orders where status is pending',
    'order_id  customer_id  items          net  total  payment      status   address                  ordered_on',
    '--------  ',
    'W1001               1  desk lamp     39.9   44.8  credit card  pending  ',
    'W1005               3  water bottle    18   22.9  paypal       pending  ',
    'W1009               5  teapot, cups  45.5   50.4  credit card  pending  ',
    'W1012               2  bookshelf      149  168.9  credit card  pending  ',
    '4 records of Orders.',
    'Clerk: delete W1001',
    'policy.denied: ',
    'Customer: show W1001',
    'policy.denied: ',
    'Agent: set status to cancelled, reason no longer needed, refund 189, refund_to paypal for W1002',
    'This cannot be written to Orders yet:',
    '- This rule is broken: if status is cancelled then cancel_reason is not empty and shipped_on is empty',
    'Enter the field and its correct value, or say "cancel".',
    'Agent: cancel',
    'Cancelled. Nothing was changed.',
    'Agent: set status to cancelled, reason no longer needed, refund 22.90, refund_to credit card for W1005',
    'This cannot be written to Orders yet:',
    '- This rule is broken: if payment is paypal then refund_to is paypal or gift card',
    'Enter the field and its correct value, or say "cancel".',
    'Agent: refund_to paypal',
    'Change this record of Orders?',
    'W1005:',
    '  status: pending → cancelled',
    '  cancel_reason: — → no longer needed',
    '  refund: — → 22.9',
    '  refund_to: — → paypal',
    '  refund_fits: — → yes',
    'Say yes or no',
    'Agent: yes',
    'Changed W1005 in Orders.',
    'order_id:      W1005',
    'customer_id:   3',
    'items:         water bottle',
    'net:           18',
    'shipping:      4.9',
    'total:         22.9',
    'payment:       paypal',
    'status:        cancelled',
    'address:       Mill Lane 12, Berlin',
    'ordered_on:    2026-11-05',
    'shipped_on:    —',
    'delivered_on:  —',
    'dates_fit:     —',
    'cancel_reason: no longer needed',
    'replacement:   —',
    'refund:        22.9',
    'refund_to:     paypal',
    'refund_fits:   yes',
    'Say "undo"',
    'Agent: undo',
    'Undo the last change to Orders (1 record restored)?',
    'W1005:',
    '  status: cancelled → pending',
    '  cancel_reason: no longer needed → —',
    '  refund: 22.9 → —',
    '  refund_to: paypal → —',
    '  refund_fits: yes → —',
    'Say yes or no.',
    'Agent: no',
    'Cancelled. Nothing was changed.',
  ],
  '13-create-an-agent.ts': [
    'I look it up.',
    'Two are left. I order more.',
    'waiting',
    'asks: order {"part":"chain","count":10}',
    'Ten chains are ordered.',
  ],
};

describe('the examples', { concurrency: true }, () => {
  const project = openProject();
  after(() => {
    project[Symbol.dispose]();
  });

  test('every numbered file is run here', () => {
    assert.deepEqual(globSync('*.ts', { cwd: join(root, 'examples') }).sort(), Object.keys(outputs));
  });

  for (const [file, lines] of Object.entries(outputs)) {
    test(`${file} prints what it should`, async () => {
      const printed = await runNode([project.at(file)], project.path);
      const shown = printed.split('\n').filter((line) => line !== '');
      assert.deepEqual(
        shown.map((line, index) => line.slice(0, lines[index]?.length)),
        lines,
      );
    });
  }
});

describe('the example workshop', { concurrency: true }, () => {
  const file = join(workshop, '.skilled', 'settings.json');
  const read = parseJsonWithComments(readFileSync(file, 'utf8'));
  const all = read.ok ? (read.value as JsonObject) : {};
  const agent = new RecursiveSkilledAgent({ startDir: workshop, searchUpwards: false, settings: { all } });

  test('it has a skill of every family with files, and no findings', () => {
    const skills = agent.skills.search({ source: 'project' });
    const families = builtinFamilies.filter(({ descriptor }) => descriptor !== undefined).map(({ id }) => id);
    assert.deepEqual([...new Set(skills.map(({ family }) => family))].sort(), families.sort());
    assert.deepEqual(agent.skills.diagnostics(), []);
  });

  test('its orchestrators and its subagent name skills that are there', () => {
    const named = agent.skills
      .list()
      .flatMap(({ card }) => [...(card.allowedSkills ?? []), ...(card.allowedTools ?? [])]);
    const names = named.filter((name) => /^[a-z-]+$/.test(name));
    assert.deepEqual(
      names.filter((name) => !agent.skills.has(name)),
      [],
    );
    assert.ok(names.length > 3);
  });

  test('it and the skills of the package are valid, also by the standard but for one that uses more', async () => {
    for (const folder of [
      'examples/workshop/skills',
      'examples/workshop/agents',
      'examples/tables',
      'skills',
    ]) {
      const usual = await call(['validate', join(root, folder), '--json']);
      assert.equal(usual.code, 0, usual.out + usual.err);
      const strict = documentOf(await call(['validate', join(root, folder), '--strict', '--json']));
      const more = folder.startsWith('examples') && folder.endsWith('skills');
      assert.deepEqual(diagnosticsIn(strict), more ? ['repair-order: standard.field output'] : [], folder);
    }
  });

  test('its generated code is exactly what its specs and its manifest say, and passes its tests', async () => {
    const skills = agent.skills.search({ source: 'project' });
    const states = skills.flatMap((skill) => {
      const found = agent.inspect(skill);
      return found === undefined ? [] : [`${skill.name}: ${found.status}`];
    });
    const next = 'run: node scripts/make-example-code.js';
    assert.deepEqual(states, ['invoice-number: current', 'report-sheet: current', 'tyre-size: own'], next);
    const dirs = ['invoice-number', 'report-sheet'].map((name) => agent.skills.resolve(name).dir);
    const tests = dirs.map((dir) => `${dir}/tests/*.test.ts`);
    assert.match(await runNode(['--test', ...tests], root), /^# fail 0$|^ℹ fail 0$/m);
  });
});

/** Returns the issues of `validate`, as skill, code and field. */
function diagnosticsIn(document: Readonly<Record<string, unknown>>): readonly string[] {
  const results = document['results'] as readonly {
    readonly path: string;
    readonly issues: readonly Issue[];
  }[];
  assert.ok(results.length > 0);
  return results.flatMap(({ path, issues }) =>
    issues.map(
      ({ code, message }) => `${basename(dirname(path))}: ${code} ${/"(.+?)"/.exec(message)?.[1] ?? ''}`,
    ),
  );
}

/** Creates a project with the examples, which import the package as their first lines show. */
function openProject(): Tree {
  const project = tree({ 'package.json': '{ "type": "module" }', '.git/HEAD': '' });
  const isSource = (path: string): boolean => !/\.db|\.generation$/.test(path); // files of earlier workshop runs
  cpSync(workshop, project.at('workshop'), { recursive: true, filter: isSource });
  cpSync(join(root, 'examples', 'tables'), project.at('tables'), { recursive: true });
  linkPackages(project.path);
  for (const file of Object.keys(outputs)) {
    const text = readFileSync(join(root, 'examples', file), 'utf8');
    const imported = text.replace("'../src/index.ts'", "'skilled'");
    project.write(file, imported.replace("'../src/testing/index.ts'", "'skilled/testing'"));
  }
  return project;
}

/** Runs Node with a separate home folder. Returns the output after a successful exit. */
async function runNode(args: readonly string[], cwd: string): Promise<string> {
  using home = tree();
  const { PATH = '', TMPDIR = '/tmp' } = process.env;
  const env = { HOME: home.path, PATH, TMPDIR, ...compileCache() };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, env, timeout: 60_000 });
  return stdout;
}

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  call,
  documentOf,
  errorIn,
  leaveHome,
  needs,
  workspace,
  type Ended,
} from '../../../../test/support/command.ts';
import { skillText, tree, type Tree } from '../../../../test/support/tree.ts';

leaveHome();

function orchestratorText(title: string, ...allowed: readonly string[]): string {
  const list = allowed.map((name) => `- ${name}\n`).join('');
  return `# ${title}\n\n## Description\n\nHands on to others.\n\n## Allowed Skills\n\n${list}`;
}

/**
 * Creates an orchestrator `day` that may call `work` and `alpha`. `work` calls `gamma`, which calls it back.
 */
function office(): Tree {
  return workspace({
    'skills/day/oskill.md': orchestratorText('day', 'work', 'alpha', 'beta', 'nope'),
    'skills/work/oskill.md': orchestratorText('work', 'gamma', 'work'),
    'skills/gamma/SKILL.md': skillText('gamma', 'Does gamma.', 'allowed-tools: Read Skill(work)\n'),
  });
}

describe('graph', () => {
  test('says in a line for each skill what it may call', async () => {
    using files = office();
    const { code, out, err } = await call(['graph', '--cwd', files.path]);
    assert.equal(code, 0);
    const lines = out.split('\n').filter((line) => /^(?:alpha|day|gamma|work|read) /.test(line));
    assert.match(
      lines.join('\n'),
      /^alpha +agent-skill +→ every other skill \(\d+\) \(only through day\)\nday /,
    );
    assert.match(out, /^day +orchestrator +→ work, alpha, beta \(unavailable\), nope \(missing\)$/m);
    assert.match(out, /^gamma +agent-skill +→ read, work \(only through work\)$/m);
    assert.match(out, /^work +orchestrator +→ gamma, work \(only through day\)$/m);
    assert.equal(lines.length, 4);
    assert.match(err, /^1 name .*: nope\.\nLeft out: \d+ .*\.\n$/);
    assert.equal((await call(['graph', '--quiet', '--cwd', files.path])).err, '');
  });

  test('of one skill draws what it may call down to the end, and tells who may call it', async () => {
    using files = office();
    const { code, out, err } = await call(['graph', 'Day', '--cwd', files.path]);
    assert.deepEqual([code, err], [0, '']);
    assert.match(
      out,
      /^day {2}orchestrator\n├ work {2}orchestrator\n│ ├ gamma {2}agent-skill\n│ │ ├ read {2}function\n│ │ └ work ↻\n│ └ work ↻\n├ alpha {2}agent-skill\n│ └ every other skill \(\d+\)\n├ beta \(unavailable\)\n└ nope \(missing\)\n\n/,
    );
    assert.match(
      out,
      /\n\nTools within reach.*: ask-user, bash, .*\.\nNo skill lists this skill by name\.\n\d may call it but do not name it: alpha, .*\.\n$/,
    );
    const work = await call(['graph', 'work', '--cwd', files.path]);
    assert.match(
      work.out,
      /\n\nTools within reach.*\nCalled by day, gamma, work\.\n\d more may call it but do not name it: .*\nIf a prompt does not name a skill, this skill can be reached only through day\.\n$/,
    );
  });

  test('as JSON has nodes and edges, of all or of what is around one skill', async () => {
    using files = office();
    const document = documentOf(await call(['graph', '--json', '--cwd', files.path]));
    assert.deepEqual(Object.keys(document), ['ok', 'nodes', 'edges']);
    const { nodes, edges } = document as {
      nodes: { name: string }[];
      edges: { from: string; to: string; group?: object }[];
    };
    const node = (name: string): object | undefined => nodes.find((one) => one.name === name);
    assert.deepEqual(node('nope'), { kind: 'missing', name: 'nope' });
    assert.deepEqual(node('work'), {
      kind: 'skill',
      name: 'work',
      family: 'orchestrator',
      source: 'project',
      status: 'ready',
      onlyThrough: ['day'],
    });
    assert.deepEqual(
      edges.filter(({ from }) => from === 'gamma'),
      [
        { from: 'gamma', to: 'read' },
        { from: 'gamma', to: 'work' },
      ],
    );
    const free = edges.find(({ from }) => from === 'alpha');
    assert.deepEqual([free?.to, Object.keys(free?.group ?? {})], ['*', ['count']]);
    const one = documentOf(await call(['graph', 'gamma', '--json', '--cwd', files.path]));
    assert.equal(one['skill'], 'gamma');
    const names = (one['nodes'] as { name: string }[]).map(({ name }) => name);
    assert.ok(names.includes('work') && names.includes('alpha') && !names.includes('day'));
  });

  test('shows the list that bounds a tree, and the tools that are within reach', async () => {
    const work = `${orchestratorText('work', 'read', 'bash')}\n## Allowed Tools\n\n- read\n- bash\n`;
    using files = workspace({
      'skills/day/oskill.md': `${orchestratorText('day', 'work')}\n## Allowed Tools\n\n- read, glob\n`,
      'skills/work/oskill.md': work,
    });
    const { out } = await call(['graph', 'day', '--cwd', files.path]);
    assert.match(
      out,
      /^day {2}orchestrator {2}\(tools below: read, glob\)\n└ work {2}orchestrator .*\n {2}├ read /,
    );
    assert.match(out, /\n {2}└ bash \(not in the allowed tools of day\)\n/);
    assert.match(out, /\nEverything below it is limited to read, glob \(.*day\/oskill\.md:11\)\./);
    assert.match(out, /\nTools within reach, directly or through other skills: read\.\n/);
    const { reach, nodes } = documentOf(await call(['graph', 'day', '--json', '--cwd', files.path])) as {
      reach: object;
      nodes: { name: string; allowedTools?: { rules: string[]; line: number } }[];
    };
    assert.deepEqual(reach, {
      skills: ['work'],
      tools: [{ name: 'read', rule: 'Read', limitedBy: ['day', 'work'] }],
    });
    const bound = nodes.find(({ name }) => name === 'day')?.allowedTools;
    assert.deepEqual([bound?.rules, bound?.line], [['read', 'glob'], 11]);
    const shown = await call(['show', 'day', '--cwd', files.path]);
    assert.match(shown.out, /^tools below +read, glob \(line 11\)$/m);
    assert.match(shown.out, /^tools in reach +read$/m);
    const dot = await call(['graph', 'day', '--dot', '--cwd', files.path]);
    assert.match(dot.out, /tools below: read, glob/);
  });

  test('as Mermaid and for Graphviz, one at a time', async () => {
    using files = office();
    const mermaid = await call(['graph', 'work', '--mermaid', '--cwd', files.path]);
    assert.match(mermaid.out, /^flowchart LR\n {2}s1\["day<br\/>orchestrator"\]\n/);
    assert.match(mermaid.out, /^ {2}c1 -\.-> s4\n {2}style s4 stroke-width:3px\n$/m);
    const dot = await call(['graph', '--dot', '--cwd', files.path]);
    assert.match(
      dot.out,
      /^digraph skills \{\n {2}rankdir=LR;\n[^]*\n {2}s\d+ -> g1 \[style=dashed\];\n[^]*\}\n$/,
    );
    const leftOut = ({ err }: Ended): number => Number(/^Left out: (\d+)/m.exec(err)?.[1]);
    const whole = await call(['graph', '--cwd', files.path]);
    assert.equal(leftOut(dot), leftOut(whole) - 1, 'read, which is called, has a box');
    const both = await call(['graph', '--dot', '--json', '--cwd', files.path]);
    assert.deepEqual(
      [both.code, errorIn(both).message],
      [2, '--dot and --json are different output formats.'],
    );
  });

  test('a name that leads to nothing, or to what no one can call, ends with 3', async () => {
    using files = office();
    const miss = await call(['graph', 'gama', '--json', '--cwd', files.path]);
    assert.deepEqual([miss.code, errorIn(miss).code], [3, 'skill.not-found']);
    const lacking = await call(['graph', 'beta', '--json', '--cwd', files.path]);
    const { code, hint = '' } = errorIn(lacking);
    assert.deepEqual([lacking.code, code], [3, 'skill.unavailable']);
    assert.ok(hint.includes(`\`skilled show beta --cwd ${files.path}\``), hint);
  });

  test('explains the next step if there are no skills or no lists', async () => {
    using empty = tree({ '.git/HEAD': '' });
    assert.match(
      (await call(['graph', '--cwd', empty.path])).err,
      /^You have no skills here yet\. To create one: skilled new skill hello --cwd /,
    );
    using files = tree({
      '.git/HEAD': '',
      'skills/alpha/SKILL.md': skillText('alpha'),
      'skills/beta/SKILL.md': skillText('beta', 'Beta.', needs),
    });
    const { err } = await call(['graph', '--cwd', files.path]);
    assert.match(err, /^None of your skills lists /);
  });

  test('keeps to the width of a terminal', async () => {
    using files = office();
    for (const args of [[], ['day']]) {
      const { out } = await call(['graph', ...args, '--cwd', files.path], { width: 30 });
      assert.deepEqual(
        out.split('\n').filter((line) => line.length > 30),
        [],
      );
    }
  });
});

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import {
  call,
  documentOf,
  errorIn,
  leaveHome,
  skillsIn,
  workspace,
} from '../../../../test/support/command.ts';
import { runCommand } from '../../../../test/support/command-process.ts';
import { tree } from '../../../../test/support/tree.ts';
import { builtinFamilies } from '../../../families/index.ts';

leaveHome();

describe('new', () => {
  test('writes a skill, prints its file and says how to continue', async () => {
    using files = workspace();
    const file = files.at('.agents/skills/triage/SKILL.md');
    assert.deepEqual(await call(['new', 'skill', 'triage', '--cwd', files.path]), {
      code: 0,
      out: `${file}\n`,
      err: `Describe the purpose and instructions of the skill, then run:\n  skilled validate .agents/skills/triage/SKILL.md --cwd ${files.path}\n  skilled run /triage 'What is this project about?' --cwd ${files.path}\n`,
    });
    assert.match(readFileSync(file, 'utf8'), /^---\nname: triage\n/);
    assert.deepEqual(readdirSync(files.at('.agents/skills')), ['triage']);
  });

  test('a folder in which nothing can be made is an error, not a wait without end', async () => {
    using files = workspace();
    const blocked = existsSync('/proc/self') ? '/proc' : files.at('.git/HEAD');
    const ended = await call(['new', 'skill', 'triage', '--dir', blocked, '--json', '--cwd', files.path]);
    assert.equal(errorIn(ended).code, 'usage.not-found');
    assert.match(errorIn(ended).hint ?? '', /--dir/);
  });

  test('writes a subagent as one file', async () => {
    using files = workspace();
    const ended = await call(['new', 'subagent', 'reviewer', '--quiet', '--cwd', files.path]);
    assert.deepEqual(ended, { code: 0, out: `${files.at('.agents/agents/reviewer.md')}\n`, err: '' });
    assert.deepEqual(readdirSync(files.at('.agents/agents')), ['reviewer.md']);
  });

  for (const { id, authoring } of builtinFamilies) {
    if (authoring?.template === undefined) continue;
    test(`what it writes for ${id} is found and valid, whatever the name looks like`, async () => {
      using files = tree({ '.git/HEAD': '' });
      const names = ['plain', 'null', 'true', 'no', '123', '1e3', '0x1f', 'übung', 'a'.repeat(64)];
      for (const name of names) {
        const ended = await call(['new', id, name, '--json', '--cwd', files.path]);
        assert.equal(ended.code, 0, ended.out);
        for (const file of documentOf(ended)['files'] as string[]) assert.ok(existsSync(file), file);
      }
      const found = skillsIn(await call(['list', '--json', '--cwd', files.path]));
      const created = found.filter(({ source }) => source === 'project');
      assert.deepEqual(created.map(({ name }) => name).sort(), names.sort());
      assert.deepEqual([...new Set(created.map(({ status }) => status))], ['ready']);
      const checked = documentOf(await call(['validate', '--json', '--cwd', files.path]));
      const issues = (checked['results'] as { issues: { code: string }[] }[]).flatMap(({ issues }) => issues);
      const codes = new Set(issues.map(({ code }) => code));
      assert.deepEqual([checked['ok'], [...codes]], [true, ['description.template']]);
    });
  }

  test('takes every word by which a family is known', async () => {
    using files = workspace();
    const families = ['skill', 'SKILL', 'agent-skill', 'Agent Skill', 'anthropic', 'cskill', 'code_skill'];
    for (const [index, family] of [...families, 'agents', 'dbtable', 'mcp'].entries()) {
      const ended = await call(['new', family, `made-${index}`, '--json', '--cwd', files.path]);
      assert.equal(ended.code, 0, `${family}: ${ended.out}`);
    }
  });

  test('writes into another folder, and then says how to reach what it wrote', async () => {
    using files = workspace({ 'elsewhere/x': '' });
    const prompt = "'What is this project about?'";
    const skill = await call(['new', 'skill', 'triage', '--dir', 'elsewhere', '--cwd', files.path]);
    assert.equal(skill.out, `${files.at('elsewhere/skills/triage/SKILL.md')}\n`);
    const how = ['--skills', files.at('elsewhere/skills'), '--cwd', files.path];
    assert.ok(skill.err.endsWith(`  skilled run /triage ${prompt} ${how.join(' ')}\n`), skill.err);
    assert.equal((await call(['show', 'triage', ...how])).code, 0);
    const agent = await call(['new', 'subagent', 'reviewer', '--dir', 'elsewhere', '--cwd', files.path]);
    const both = ['--skills', files.at('elsewhere/agents'), '--cwd', files.path];
    assert.ok(agent.err.endsWith(` ${both.join(' ')}\n`), agent.err);
    assert.match((await call(['show', 'reviewer', ...both])).out, /^family +Subagent/m);
    const here = await call(['new', 'skill', 'here', '--dir', '.', '--cwd', files.path]);
    assert.equal(here.out, `${files.at('skills/here/SKILL.md')}\n`);
    assert.ok(here.err.endsWith(`  skilled run /here ${prompt} --cwd ${files.path}\n`), here.err);
  });

  test('names what it wrote so that it is reached, when another skill has the name', async () => {
    using files = workspace();
    const twin = await call(['new', 'subagent', 'alpha', '--cwd', files.path]);
    const name = /skilled run \/(\S+)/.exec(twin.err)?.[1] ?? '';
    assert.notEqual(name, 'alpha');
    assert.match((await call(['show', name, '--cwd', files.path])).out, /^family +Subagent/m);
    const shadowed = await call(['new', 'skill', 'alpha', '--cwd', files.path]);
    assert.equal(shadowed.code, 0);
    assert.match(shadowed.err, /takes precedence: \S+\/skills\/alpha\/SKILL\.md\n$/);
  });

  test('says when what it wrote is not found although the folder is searched', async () => {
    using files = workspace();
    const { code, err } = await call(['new', 'subagent', 'readme', '--cwd', files.path]);
    assert.equal(code, 0);
    assert.match(err, /\nThe new skill is not found: .*excludes it\.\n$/);
  });

  test('alone it lists the families that have a template, and what their skills do', async () => {
    using files = workspace();
    const { code, out, err } = await call(['new', '--cwd', files.path]);
    assert.deepEqual([code, err], [0, `Create one: skilled new <family> <name> --cwd ${files.path}\n`]);
    assert.match(out, /^table +tskill +tskill\.md +keeps records in a table$/m);
    assert.match(out, /^subagent +subagent +agents\/\*\.md +is an agent /m);
    const document = documentOf(await call(['new', '--json', '--cwd', files.path]));
    const kinds = document['families'] as readonly { readonly id: string }[];
    const able = builtinFamilies.filter(({ authoring }) => authoring?.template !== undefined);
    assert.deepEqual([document['ok'], kinds.map(({ id }) => id)], [true, able.map(({ id }) => id)]);
    const narrow = await call(['new', '--quiet', '--cwd', files.path], { width: 40 });
    assert.ok(
      narrow.out.split('\n').every((line) => line.length <= 40),
      narrow.out,
    );
  });

  const mistakes: readonly (readonly [args: readonly string[], hint: RegExp])[] = [
    [['skill'], /skilled new skill <name>/],
    [['skil', 'x'], /Did you mean "skill".*Use one of agent-skill \(skill\)/],
    [['frobnicator', 'x'], /^Use one of /],
    [['function', 'x'], /Use one of /],
    [['', 'x'], /Use one of /],
    [['skill', ''], /1 to 64/],
    [['skill', 'Triage_It'], /Did you mean "triage-it"\?/],
    [['skill', '../x'], /Did you mean "x"\?/],
    [['skill', '/etc/passwd'], /Did you mean "etc-passwd"\?/],
    [['skill', '.'], /1 to 64/],
    [['skill', 'a--b'], /Did you mean "a-b"\?/],
    [['skill', 'a'.repeat(65)], /1 to 64/],
    [['skill', 'ﬁx'], /Did you mean "fix"\?/],
    [['skill', 'x\u202ey'], /Did you mean "x-y"\?/],
    [['skill', 'read'], /another name/],
    [['subagent', 'using-skilled'], /another name/],
    [['skill', 'x', 'y'], /skilled new <family> <name>/],
    [['skill', 'x', '--dri', 'y'], /--dir/],
  ];
  for (const [args, hint] of mistakes) {
    test(`new ${args.join(' ')} is a mistake, and nothing is written`, async () => {
      using files = workspace();
      const ended = await call(['new', ...args, '--json', '--cwd', files.path]);
      assert.deepEqual([ended.code, ended.err], [2, '']);
      assert.match(errorIn(ended).hint ?? '', hint);
      assert.equal(existsSync(files.at('.agents')), false);
    });
  }
});

describe('new never overwrites', () => {
  test('a skill, a folder of scripts, a file, or a link that leads nowhere', async () => {
    using files = workspace({
      '.agents/skills/skill/SKILL.md': 'mine',
      '.agents/skills/scripts/run.sh': 'mine',
      '.agents/skills/file': 'mine',
      '.agents/agents/reviewer.md': 'mine',
    });
    symlinkSync(files.at('nowhere'), files.at('.agents/skills/link'));
    symlinkSync(files.at('nowhere'), files.at('.agents/agents/link.md'));
    mkdirSync(files.at('.agents/skills/empty'));
    for (const name of ['skill', 'scripts', 'file', 'link', 'empty']) {
      const ended = await call(['new', 'skill', name, '--json', '--cwd', files.path]);
      assert.deepEqual([ended.code, errorIn(ended).code], [2, 'usage.bad-input']);
      assert.equal(errorIn(ended).message, `${files.at('.agents/skills', name)} already exists.`);
    }
    for (const name of ['reviewer', 'link']) {
      assert.equal((await call(['new', 'subagent', name, '--json', '--cwd', files.path])).code, 2);
    }
    for (const file of [
      'skills/skill/SKILL.md',
      'skills/scripts/run.sh',
      'skills/file',
      'agents/reviewer.md',
    ])
      assert.equal(readFileSync(files.at('.agents', file), 'utf8'), 'mine');
    assert.equal(existsSync(files.at('nowhere')), false);
    assert.deepEqual(
      readdirSync(files.at('.agents/skills')).filter((name) => name.startsWith('.')),
      [],
    );
  });

  test('a file where a folder must be is said', async () => {
    using files = workspace({ '.agents': 'a file' });
    const ended = await call(['new', 'skill', 'triage', '--json', '--cwd', files.path]);
    assert.deepEqual([ended.code, errorIn(ended).code], [2, 'usage.not-found']);
    assert.match(errorIn(ended).message, /Cannot write \S+\.agents\/skills: /);
  });

  test('of several at once, one writes', async () => {
    using files = tree({ '.git/HEAD': '' });
    const env = { HOME: files.path, PATH: '/usr/bin:/bin' };
    for (const family of ['skill', 'subagent']) {
      const started = [1, 2].map(() => runCommand(['new', family, 'x'], { env, cwd: files.path }));
      const ended = await Promise.all(started);
      assert.deepEqual(ended.map(({ code }) => code).sort(), [0, 2], JSON.stringify(ended));
    }
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { call, documentOf, errorIn, leaveHome, workspace } from '../../../../test/support/command.ts';
import { skillText } from '../../../../test/support/tree.ts';

leaveHome();

describe('show', () => {
  test('reports all that is known of a skill, by any of its names', async () => {
    using files = workspace();
    for (const name of ['beta', 'Beta!', 'project:beta', 'beta-anthropic']) {
      const { code, out, err } = await call(['show', name, '--cwd', files.path]);
      assert.equal(code, 0);
      assert.equal(err, '');
      assert.match(out, /^beta\nDoes the second thing\.\n\n/);
      assert.match(out, /^missing +Install "no-such-a"/m);
      assert.match(out, /^digest +sha256:[0-9a-f]{64}$/m);
    }
  });

  test('as JSON is the entry of the list with its card and digest', async () => {
    using files = workspace({
      'skills/gamma/SKILL.md': skillText(
        'gamma',
        'Does gamma.',
        'when_to_use: Often.\nargument-hint: "[file]"\ninput: {type: object}\nallowed-tools: Read\n',
      ),
    });
    const document = documentOf(await call(['show', 'gamma', '--json', '--cwd', files.path]));
    assert.deepEqual(Object.keys(document), ['ok', 'skill']);
    const skill = document['skill'] as Record<string, unknown>;
    assert.equal(skill['name'], 'gamma');
    assert.equal(skill['description'], 'Does gamma.');
    assert.equal(skill['whenToUse'], 'Often.');
    assert.deepEqual(skill['input'], { type: 'object' });
    assert.deepEqual(skill['allowedTools'], ['Read']);
    assert.match(String(skill['digest']), /^sha256:/);
    assert.deepEqual(skill['issues'], []);
  });

  test('says how a skill works that does not share the conversation, and what it keeps away', async () => {
    const more = 'context: fork\nbackground: true\nallowed-tools: Read\nenforce-tools: true\n';
    using files = workspace({ 'skills/gamma/SKILL.md': skillText('gamma', 'Does gamma.', more) });
    const { out } = await call(['show', 'gamma', '--cwd', files.path]);
    assert.match(out, /^works +in its own context, in the background$/m);
    assert.match(out, /^other tools +none while it is loaded$/m);
    assert.doesNotMatch((await call(['show', 'alpha', '--cwd', files.path])).out, /^(?:works|other tools)/m);
  });

  test('says what a skill may call and who may call it', async () => {
    using files = workspace({
      'skills/gamma/SKILL.md': skillText('gamma', 'Does gamma.', 'allowed-tools: Read Skill(alpha)\n'),
      'skills/read/SKILL.md': skillText('read', 'Is shadowed.'),
    });
    const show = async (name: string): Promise<string> =>
      (await call(['show', name, '--cwd', files.path])).out;
    assert.match(await show('gamma'), /^may call +read, alpha\ncalled by +\d+ that do not name it$/m);
    assert.match(
      await show('alpha'),
      /^may call +every other skill \(\d+\)\ncalled by +gamma; \d+ more that do not name it$/m,
    );
    assert.doesNotMatch(await show('project:read'), /^(?:may call|called by)/m);
    assert.doesNotMatch(await show('beta'), /^(?:may call|called by)/m);
  });

  test('has a name on its list that leads to no skill among its findings, as validate does', async () => {
    using files = workspace({
      'skills/day/oskill.md':
        '# Day\n\n## Description\n\nPlans the day.\n\n## Allowed Skills\n\n- alpha\n- alhpa\n',
    });
    const shown = await call(['show', 'day', '--cwd', files.path]);
    assert.match(shown.out, /^may call +alpha, alhpa \(missing\)$/m);
    assert.match(shown.out, /oskill\.md:10: warning: .*"alhpa".* Did you mean "alpha"\?$/m);
    const checked = await call(['validate', 'skills/day', '--cwd', files.path]);
    assert.equal(checked.code, 0);
    assert.match(
      checked.out,
      /^ {2}line 10: warning: .*"alhpa", but there is no such skill\. Did you mean "alpha"\?$/m,
    );
    files.write('skills/day/oskill.md', '---\nallowed-skills: [alpha, alhpa]\n---\n# Day\n\nPlans alhpa.\n');
    const again = documentOf(await call(['validate', 'skills/day', '--json', '--cwd', files.path]));
    assert.match(JSON.stringify(again), /"list\.unknown-skill"[^}]*"line":2/);
    const written = '# Day\n\nPlans alhpa.\n\n## Allowed Skills\n\n- Álhpa\n\n## Help\n\nálhpa\n';
    files.write('skills/day/oskill.md', written);
    const third = documentOf(await call(['validate', 'skills/day', '--json', '--cwd', files.path]));
    assert.match(JSON.stringify(third), /"list\.unknown-skill"[^}]*"line":7/);
  });

  test('a schema was one line of JSON: its fields have a line each, within 40 columns and in a pipe', async () => {
    const input = {
      type: 'object',
      required: ['title'],
      properties: {
        title: {
          type: 'string',
          description: 'The title that is printed above the first page of the report.',
        },
        size: { enum: ['small', 'large'], default: 'small' },
        authors: {
          type: 'array',
          items: { $ref: '#/$defs/author' },
        },
      },
      $defs: { author: { type: 'object', properties: { name: { type: ['string', 'null'] } } } },
    };
    const more = `input: ${JSON.stringify(input)}\noutput: {type: array, items: {type: number}}\n`;
    using files = workspace({ 'skills/gamma/SKILL.md': skillText('gamma', 'Does gamma.', more) });
    const args = ['show', 'gamma', '--cwd', files.path];
    const { out } = await call(args);
    assert.match(
      out,
      /\nInput:\n {2}title {2}string, required\n {6}The title .* report\.\n {2}size {2}"small" \| "large", default "small"\n {2}authors {2}array of object\n {2}authors\[\]\.name {2}string or null\nOutput:\n {2}array of number\n/,
    );
    const narrow = (await call(args, { width: 40 })).out;
    const isLong = (line: string): boolean => line.length > 40 && line.trim().includes(' ');
    const facts = narrow.split('\n').filter((line) => !/sha256|SKILL\.md/.test(line));
    assert.deepEqual(facts.filter(isLong), []);
    assert.match(narrow, /\n {2}title {2}string, required\n {6}The title/);
  });

  test('a built-in has its input schema', async () => {
    using files = workspace();
    const { skill } = documentOf(await call(['show', 'read', '--json', '--cwd', files.path])) as {
      skill: { input: { required: string[] } };
    };
    assert.deepEqual(skill.input.required, ['file_path']);
  });

  test('an unusable one is shown with its findings', async () => {
    using files = workspace({ 'skills/broken/SKILL.md': '' });
    const { code, out } = await call(['show', 'broken', '--cwd', files.path]);
    assert.equal(code, 0);
    assert.match(out, /Issues:\n {2}.*broken\/SKILL\.md:1: error: /);
  });

  test('a miss ends with 3 and the nearest names', async () => {
    using files = workspace();
    const ended = await call(['show', 'alhpa', '--json', '--cwd', files.path]);
    assert.equal(ended.code, 3);
    assert.equal(errorIn(ended).code, 'skill.not-found');
    assert.equal(
      errorIn(ended).hint,
      `Did you mean "alpha"? \`skilled list --cwd ${files.path}\` shows all skills.`,
    );
    const text = await call(['show', 'alhpa', '--cwd', files.path]);
    assert.deepEqual(text, {
      code: 3,
      out: '',
      err: `error: There is no skill "alhpa".\n  ${errorIn(ended).hint}\n`,
    });
  });

  test('takes one word, and paths are not names', async () => {
    using files = workspace();
    assert.equal(errorIn(await call(['show', '--json', '--cwd', files.path])).code, 'usage.bad-input');
    assert.equal(
      errorIn(await call(['show', 'a', 'b', '--json', '--cwd', files.path])).code,
      'usage.bad-input',
    );
    for (const name of ['../../etc/passwd', '/etc/passwd', '%2e%2e/alpha', files.at('skills/alpha')]) {
      assert.equal((await call(['show', name, '--cwd', files.path])).code, 3, name);
    }
  });
});

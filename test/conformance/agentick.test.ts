import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  defineSkill,
  loadSkill,
  parseSkill,
  RecursiveSkilledAgent,
  type Skills,
  type SkillSpec,
} from '../../src/index.ts';
import { tree } from '../support/tree.ts';
import { skill } from './skill-text.ts';

// Agentick's black-box cases for definition, frontmatter, loading and registry, in their order.

const spec: SkillSpec = { name: 'subject', description: 'Does it.', instructions: 'Do it.' };

function registry(): Skills {
  return new RecursiveSkilledAgent({ embeddings: false, models: { model: () => undefined } }).skills;
}

describe('definition', () => {
  const refused: readonly [string, Partial<Record<keyof SkillSpec, unknown>>][] = [
    ...['', 'Ab', 'a_b', '-a', 'a-', 'a--b', 'a b', 'a'.repeat(65)].map(
      (name): [string, Partial<SkillSpec>] => [`the name "${name}" is refused`, { name }],
    ),
    ['a description of 1025 characters is refused', { description: 'x'.repeat(1025) }],
    ['compatibility of 501 characters is refused', { compatibility: 'x'.repeat(501) }],
    ['a number in the metadata is refused', { metadata: { version: 1 } }],
    ['a blank body is refused', { instructions: ' \n' }],
  ];
  for (const [row, wrong] of refused) {
    test(row, () => {
      assert.throws(() => defineSkill({ ...spec, ...wrong } as SkillSpec), { code: 'skill.invalid' });
    });
  }

  const taken: readonly [string, Partial<SkillSpec>][] = [
    ...['a', '7z', 'x-1', 'a'.repeat(64)].map((name): [string, Partial<SkillSpec>] => [
      `the name "${name}" is taken`,
      { name },
    ]),
    ['a description of 1024 characters is taken', { description: 'x'.repeat(1024) }],
    ['compatibility of 500 characters is taken', { compatibility: 'x'.repeat(500) }],
  ];
  for (const [row, right] of taken) {
    test(row, () => {
      const skills = registry();
      skills.register(defineSkill({ ...spec, ...right }));
      assert.equal(skills.get(right.name ?? spec.name)?.status, 'ready');
    });
  }
});

describe('frontmatter', () => {
  test('without any the text is the body', () => {
    const { card } = parseSkill('Do it at once.\n', { name: 'subject' });
    assert.equal(card.description, 'Do it at once.');
    assert.deepEqual(Object.keys(card), ['description']);
  });

  // Agentick reads the whole file as the body. Here, the fields are read, and the missing fence is an issue.
  test('that is never closed is read, with a finding', () => {
    const { name, issues } = parseSkill('---\nname: subject\ndescription: Does it.\n\nDo it.\n');
    assert.equal(name, 'subject');
    assert.ok(issues.some(({ code }) => code === 'frontmatter.unclosed'));
  });

  const lists: readonly [string, string][] = [
    ['a flow list', 'arguments: [one, two]'],
    ['a block list', 'arguments:\n  - one\n  - two'],
    ['words', 'arguments: one two'],
    ['a list with a comment behind it', 'arguments: [one, two] # in this order'],
  ];
  for (const [row, line] of lists) {
    test(`${row} is a list`, () => {
      assert.deepEqual(parseSkill(skill('subject', 'Do it.', `${line}\n`)).card.argumentNames, [
        'one',
        'two',
      ]);
    });
  }

  const texts: readonly [string, string, string][] = [
    ['a literal block keeps its lines', 'when_to_use: |\n  one\n  two', 'one\ntwo'],
    ['a folded block joins its lines', 'when_to_use: >\n  one\n  two', 'one two'],
    ['a comma in quotes is no list', 'when_to_use: "one, two"', 'one, two'],
    ['the word no is text', 'when_to_use: no', 'no'],
  ];
  for (const [row, line, value] of texts) {
    test(row, () => {
      assert.equal(parseSkill(skill('subject', 'Do it.', `${line}\n`)).card.whenToUse, value);
    });
  }

  test('a nested map is a map', () => {
    const { card } = parseSkill(skill('subject', 'Do it.', 'metadata:\n  one:\n    two: three\n'));
    assert.deepEqual(card.metadata, { one: { two: 'three' } });
  });

  // Agentick ignores the words yes and no for flags. Here, they have their usual meaning.
  test('the word no switches a flag off', () => {
    assert.equal(parseSkill(skill('subject', 'Do it.', 'user-invocable: no\n')).card.userInvocable, false);
  });

  test('blank lines before the body do not count', () => {
    const agent = new RecursiveSkilledAgent({ embeddings: false });
    agent.skills.register(parseSkill('---\nname: subject\ndescription: Does it.\n---\n\n\n\nDo it.\n'));
    assert.ok(agent.render('subject', {}).text.startsWith('Do it.'));
  });
});

describe('loading', () => {
  const files = {
    'unnamed/SKILL.md': '---\ndescription: Does it.\n---\n\nDo it with $ARGUMENTS.\n',
    'silent/SKILL.md': '---\nname: silent\n---\n\nDo it.\n',
    'other/SKILL.md': skill('another'),
    'flat.md': '---\nname: flat\n---\n\n# Flat\n\nDoes it flatly.\n',
    'notes.txt': skill('notes'),
  };

  test('a folder without a name has that of the folder', async () => {
    using folder = tree(files);
    assert.equal((await loadSkill(folder.at('unnamed'))).name, 'unnamed');
  });

  test('a folder without a description is refused', async () => {
    using folder = tree(files);
    await assert.rejects(loadSkill(folder.at('silent')), { code: 'skill.invalid' });
  });

  test('a name that is not that of the folder is refused', async () => {
    using folder = tree(files);
    await assert.rejects(loadSkill(folder.at('other')), { code: 'skill.invalid' });
  });

  // Agentick invents "Skill: flat". Here, the description comes from the body, as Agentick's documentation
  // says too.
  test('a flat file without a description is described by its first line', async () => {
    using folder = tree(files);
    assert.equal((await loadSkill(folder.at('flat.md'))).card.description, 'Does it flatly.');
  });

  for (const path of ['notes.txt', 'absent']) {
    test(`${path} is refused`, async () => {
      using folder = tree(files);
      await assert.rejects(loadSkill(folder.at(path)), { name: 'AgentError' });
    });
  }

  test('a folder knows where it is; text in memory does not', async () => {
    using folder = tree(files);
    assert.equal((await loadSkill(folder.at('unnamed'))).dir, folder.at('unnamed'));
    assert.equal(parseSkill(skill('subject')).dir, '');
  });

  test('the body is rendered when it is used, not when it is loaded', async () => {
    using folder = tree(files);
    const agent = new RecursiveSkilledAgent({ embeddings: false });
    agent.skills.register(await loadSkill(folder.at('unnamed')));
    const texts = ['care', 'joy'].map((args) => agent.render('unnamed', { args }).text.trim());
    assert.deepEqual(texts, ['Do it with care.', 'Do it with joy.']);
  });
});

describe('registry', () => {
  /** Creates an empty registry. */
  function empty(): Skills {
    const skills = registry();
    skills.clear();
    return skills;
  }

  const createSkill = (name: string, more: Partial<SkillSpec> = {}): ReturnType<typeof defineSkill> =>
    defineSkill({ ...spec, name, ...more });

  test('a second registration of a name throws', () => {
    const skills = empty();
    skills.register(createSkill('one'));
    assert.throws(() => skills.register(createSkill('one')), { code: 'skill.duplicate' });
  });

  test('replace returns whether there was one', () => {
    const skills = empty();
    assert.deepEqual([skills.replace(createSkill('one')), skills.replace(createSkill('one'))], [false, true]);
  });

  test('unregister returns whether there was one', () => {
    const skills = empty();
    skills.register(createSkill('one'));
    assert.deepEqual([skills.unregister('one'), skills.unregister('one')], [true, false]);
  });

  // Agentick lists skills in the order of registration. Here, every list is sorted by name.
  test('the list has the order of the names', () => {
    const skills = empty();
    for (const name of ['two', 'one', 'three']) skills.register(createSkill(name));
    assert.deepEqual(
      skills.list().map(({ name }) => name),
      ['one', 'three', 'two'],
    );
  });

  const searches: readonly [string, Parameters<Skills['search']>[0], readonly string[]][] = [
    ['a name', { query: 'alpha' }, ['alpha']],
    ['a query in upper case', { query: 'ALPHA' }, ['alpha']],
    ['when to use it', { query: 'storm' }, ['beta']],
    ['a value of the metadata', { query: 'ann' }, ['alpha', 'beta']],
    ['metadata', { metadata: { author: 'ann' } }, ['alpha', 'beta']],
    [
      'metadata and a query, both of which must hold',
      { query: 'beta', metadata: { author: 'ann' } },
      ['beta'],
    ],
    ['two values of the metadata', { metadata: { author: 'ann', team: 'sea' } }, ['alpha']],
    ['a metadata value that nobody has', { metadata: { author: 'cid' } }, []],
    ['a limit', { metadata: { author: 'ann' }, limit: 1 }, ['alpha']],
  ];
  for (const [row, query, names] of searches) {
    test(`search by ${row}`, () => {
      const skills = empty();
      skills.register(createSkill('alpha', { metadata: { author: 'ann', team: 'sea' } }));
      skills.register(createSkill('beta', { whenToUse: 'In a storm.', metadata: { author: 'ann' } }));
      skills.register(createSkill('gamma', { metadata: { author: 'bob' } }));
      const found = skills.search(query).map(({ name }) => name);
      assert.deepEqual(found.toSorted(), names);
    });
  }

  test('a listener learns of each change, and of nothing when it is over', () => {
    const skills = empty();
    const received: (readonly string[])[] = [];
    const end = skills.subscribe((list) => received.push(list.map(({ name }) => name)));
    skills.register(createSkill('one'));
    skills.replace(createSkill('one', { description: 'Does it anew.' }));
    skills.unregister('one');
    skills.register(createSkill('two'));
    skills.clear();
    assert.deepEqual(received, [['one'], ['one'], [], ['two'], []]);
    skills.clear();
    assert.equal(received.length, 5, 'clearing what is empty is no change');
    end();
    skills.register(createSkill('three'));
    assert.equal(received.length, 5);
  });

  test('a listener that throws is a finding, and the others hear', () => {
    const skills = empty();
    let received = 0;
    skills.subscribe(() => {
      throw new Error('tired');
    });
    skills.subscribe(() => void (received += 1));
    skills.register(createSkill('one'));
    assert.equal(received, 1);
    assert.ok(skills.diagnostics().some(({ message }) => message.includes('tired')));
  });

  // Agentick rejects the whole folder because of one invalid skill. Here, that skill is an issue.
  test('loadDir passes over plain folders and stray files, and over nothing else because of one bad skill', async () => {
    using folder = tree({
      'skills/good/SKILL.md': skill('good'),
      'skills/plain/notes.md': '# Notes\n',
      'skills/stray.md': '# Stray\n',
      'skills/empty/SKILL.md': '',
    });
    const skills = empty();
    const loaded = await skills.loadDir(folder.at('skills'));
    assert.deepEqual(
      loaded.map(({ name }) => name),
      ['good'],
    );
    assert.equal(skills.get('plain'), undefined);
    assert.ok(skills.diagnostics().some(({ file }) => file === folder.at('skills/empty/SKILL.md')));
  });
});

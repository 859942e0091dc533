import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { skillsAt } from '../../../test/support/skills.ts';
import { skillText, tree } from '../../../test/support/tree.ts';
import { readXml } from '../../../test/support/xml.ts';
import type { CatalogEntry } from './entries.ts';
import { applySkillsPromptLimits, buildCatalog, type Catalog } from './catalog.ts';

/** Creates skills whose descriptions share no words. */
function entries(count: number, words = 40): readonly CatalogEntry[] {
  return Array.from({ length: count }, (_, n) => ({
    name: `skill-${String(n).padStart(3, '0')}`,
    description: Array.from({ length: words }, (__, word) => `w${n}x${word}`).join(' '),
    location: `/skills/${n}`,
  }));
}

function shownIn({ text }: Catalog): readonly string[] {
  if (text === '') return [];
  const [start, end] = ['<available_skills>', '</available_skills>'];
  const listing = text.slice(text.indexOf(start), text.lastIndexOf(end) + end.length);
  return readXml(listing).children.map(({ children }) => children[0]?.text ?? '');
}

const named = (name: string, more: Partial<CatalogEntry> = {}): CatalogEntry => ({
  name,
  description: `Does ${name}.`,
  location: `/skills/${name}`,
  ...more,
});

describe('a catalog in which everything fits', () => {
  test('is instruction and listing, by name in code units', () => {
    const catalog = applySkillsPromptLimits([
      named('tmux', { whenToUse: 'A job is\r\n\tlong.' }),
      named('Zsh', { description: '' }),
      named('a&b', { description: 'Less <than> "more" \u202eor\u200b \'so\'.', location: '/x\u0007 y/<z>' }),
    ]);
    assert.equal(
      catalog.text,
      `Match the task against the descriptions below before you act.
- One skill clearly fits: load it (call \`skill\` with its name, else \`read\` its location) and follow it.
- Several fit: load only the most specific of them.
- None fits: load none.
Choose first, then load; never load a second skill in advance.

<available_skills>
  <skill>
    <name>Zsh</name>
    <location>/skills/Zsh</location>
  </skill>
  <skill>
    <name>a&amp;b</name>
    <description>Less &lt;than&gt; &quot;more&quot; or &apos;so&apos;.</description>
    <location>/x y/&lt;z&gt;</location>
  </skill>
  <skill>
    <name>tmux</name>
    <description>Does tmux. A job is long.</description>
    <location>/skills/tmux</location>
  </skill>
</available_skills>`,
    );
    const { text, tokens, ...counts } = catalog;
    assert.deepEqual(counts, { shown: 3, shortened: 0, omitted: [], chars: text.length });
    assert.ok(tokens > 150 && tokens < 220, `${tokens}`);
  });

  test('is the same text whatever is asked for', () => {
    const all = [named('a'), named('b'), named('c', { pinned: true })];
    const { text } = applySkillsPromptLimits(all);
    const priorities = { request: 'b', relevance: ['c'], recent: ['b'] };
    assert.equal(applySkillsPromptLimits(all.toReversed(), {}, priorities).text, text);
  });

  test('of nothing is the empty text', () => {
    const { tokens, ...rest } = applySkillsPromptLimits([]);
    assert.deepEqual([tokens, rest], [0, { text: '', shown: 0, shortened: 0, omitted: [], chars: 0 }]);
  });
});

describe('a catalog in which not everything fits', () => {
  test('holds 150 skills unless said, and says what is missing', () => {
    const short = entries(157, 3);
    const catalog = applySkillsPromptLimits(short);
    assert.deepEqual([catalog.shown, catalog.shortened], [150, 0]);
    assert.deepEqual(
      catalog.omitted,
      short.slice(150).map(({ name }) => name),
    );
    assert.ok(
      catalog.text.endsWith('</available_skills>\n150 of 157 skills shown; find-skills searches the rest.'),
    );
    assert.equal(applySkillsPromptLimits(short.slice(0, 150)).text.includes('find-skills'), false);
  });

  test('holds 30,000 characters unless said', () => {
    const catalog = applySkillsPromptLimits(entries(150));
    assert.ok(catalog.chars > 29_000 && catalog.chars <= 30_000, `${catalog.chars}`);
    assert.equal(catalog.chars, catalog.text.length);
  });

  test('shortens the longest descriptions before it drops a skill', () => {
    const all = [named('a', { description: 'Short.' }), ...entries(10, 100)];
    const catalog = applySkillsPromptLimits(all, { maxChars: 5000 });
    assert.deepEqual([catalog.shown, catalog.shortened, catalog.omitted], [11, 10, []]);
    assert.ok(catalog.text.includes('<description>Short.</description>'));
    assert.ok(catalog.chars > 4800, `${catalog.chars}`);
    assert.equal(catalog.text.match(/ w\d+x\d+…<\/description>/g)?.length, 10);
  });

  test('gives the descriptions that stay all the room there is', () => {
    const catalog = applySkillsPromptLimits(entries(40, 100), { maxSkills: 3, maxChars: 10_000 });
    assert.deepEqual([catalog.shown, catalog.shortened], [3, 0]);
  });

  test('keeps the pinned, the mentioned, the relevant, the recent and the first, in this order', () => {
    const all = entries(100).map((entry, n) => (n === 90 ? { ...entry, pinned: true } : entry));
    const priorities = {
      request: 'Try skill 080, please.',
      relevance: new Map([
        ['skill-060', 1],
        ['skill-070', 2],
        ['skill-050', NaN],
      ]),
      recent: ['skill-040', 'skill-030', 'skill-070'],
    };
    const listWithin = (maxSkills: number): readonly string[] =>
      shownIn(applySkillsPromptLimits(all, { maxSkills }, priorities));
    const order = [90, 80, 70, 60, 40, 30, 0, 1].map((n) => `skill-0${String(n).padStart(2, '0')}`);
    for (const [index] of order.entries())
      assert.deepEqual(listWithin(index + 1), order.slice(0, index + 1).sort());
  });

  test('takes relevance as a list, best first', () => {
    const relevance = ['skill-007', 'no-such', 'skill-003', 'skill-009'];
    const catalog = applySkillsPromptLimits(entries(20), { maxSkills: 2 }, { relevance });
    assert.deepEqual(shownIn(catalog), ['skill-003', 'skill-007']);
  });

  test('is not kept empty by one skill that is too large', () => {
    const huge = named('a', { location: `/${'x'.repeat(9000)}`, pinned: true });
    const catalog = applySkillsPromptLimits([huge, ...entries(5)], { maxChars: 4000 });
    assert.deepEqual([catalog.shown, catalog.omitted], [5, ['a']]);
  });

  test('is empty when there is no room for a single skill', () => {
    const all = entries(3);
    for (const limits of [
      { maxSkills: 0 },
      { maxChars: 0 },
      { maxChars: 400 },
      { maxTokens: 0 },
      { maxTokens: 90 },
    ]) {
      const catalog = applySkillsPromptLimits(all, limits);
      assert.deepEqual([catalog.text, catalog.shown, catalog.omitted.length, catalog.tokens], ['', 0, 3, 0]);
    }
  });

  test('keeps a limit of tokens and a share of the window, and uses them', () => {
    const limited = applySkillsPromptLimits(entries(60), { maxTokens: 2000 });
    assert.ok(limited.tokens <= 2000 && limited.tokens > 1900, `${limited.tokens}`);
    const shared = applySkillsPromptLimits(entries(60), { contextWindow: 100_000 });
    assert.equal(shared.text, limited.text);
  });

  test('tells its tokens only when asked, and as a member like any other', () => {
    const catalog = applySkillsPromptLimits(entries(2));
    assert.deepEqual(Object.keys(catalog), ['text', 'shown', 'shortened', 'omitted', 'chars', 'tokens']);
    assert.equal(catalog.tokens, catalog.tokens);
  });
});

test('an entry that a program pins under the old name comes first', () => {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the name of release 0.1
  const all = entries(100).map((entry, n) => (n === 90 ? { ...entry, always: true } : entry));
  assert.deepEqual(shownIn(applySkillsPromptLimits(all, { maxSkills: 2 })), ['skill-000', 'skill-090']);
});

describe('clones', () => {
  const text =
    'Fills PDF forms, merges documents, extracts tables and converts scanned pages into searchable text.';
  const clones = Array.from({ length: 20 }, (_, n) =>
    named(`clone-${String(n).padStart(2, '0')}`, {
      description: n % 2 === 0 ? text : text.replace('Fills', `Completes${n}`),
    }),
  );
  const isClone = (name: string): boolean => name.startsWith('clone-');

  test('take two places before everything else had its turn', () => {
    const all = [...clones, ...entries(28)];
    assert.equal(shownIn(applySkillsPromptLimits(all, { maxSkills: 30 })).filter(isClone).length, 2);
    assert.equal(shownIn(applySkillsPromptLimits(all, { maxSkills: 33 })).filter(isClone).length, 5);
    assert.equal(shownIn(applySkillsPromptLimits(all)).filter(isClone).length, 20);
  });

  test('do not gain by relevance, recent use or repeated words', () => {
    const stuffed = clones.map((entry) => ({
      ...entry,
      description: `${entry.description} ${'PDF '.repeat(20)}`,
    }));
    const priorities = { relevance: clones.map(({ name }) => name), recent: clones.map(({ name }) => name) };
    const shown = shownIn(
      applySkillsPromptLimits([...stuffed, ...entries(28)], { maxSkills: 30 }, priorities),
    );
    assert.equal(shown.filter(isClone).length, 2);
  });

  test('stay when they are mentioned, and two of them when they are pinned', () => {
    const pinned = clones.map((entry, n) => ({ ...entry, pinned: n < 4 }));
    const request = 'clone-15 and clone_16';
    const catalog = applySkillsPromptLimits([...pinned, ...entries(28)], { maxSkills: 20 }, { request });
    assert.deepEqual(shownIn(catalog).filter(isClone), [
      ...['clone-00', 'clone-01'],
      ...['clone-15', 'clone-16'],
    ]);
  });

  test('of no description are none', () => {
    const silent = clones.map((entry) => ({ ...entry, description: '' }));
    const shown = shownIn(applySkillsPromptLimits([...silent, ...entries(20)], { maxSkills: 20 }));
    assert.ok(shown.every(isClone));
  });
});

describe('the catalog of a registry', () => {
  test('shows ready skills with compact locations', () => {
    using files = tree({
      'skills/alpha/SKILL.md': skillText('alpha'),
      'skills/group/beta/SKILL.md': skillText('beta'),
      'skills/manual/SKILL.md': skillText('manual', 'Does it.', 'disable-model-invocation: true\n'),
    });
    const skills = skillsAt(files.path).list();
    const { text } = buildCatalog(skills, { home: files.path });
    assert.ok(text.includes('<location>~/skills/alpha/SKILL.md</location>'));
    assert.ok(text.includes('<location>~/skills/group/beta/SKILL.md</location>'));
    assert.ok(!text.includes('manual'));
    assert.ok(
      buildCatalog(skills).text.includes(`<location>${files.at('skills/alpha/SKILL.md')}</location>`),
    );
    assert.equal(buildCatalog(skills, { limits: { maxSkills: 1 }, request: 'beta' }).omitted[0], 'alpha');
  });
});

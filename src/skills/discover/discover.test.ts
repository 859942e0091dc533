import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { describe, test } from 'node:test';
import { agentsAt, scanOptions, skillsAt } from '../../../test/support/look.ts';
import { skillText, tree, type Tree } from '../../../test/support/tree.ts';
import { discover, type Discovered } from './discover.ts';
import { bareDisk, type ScanDisk } from './scan-state.ts';
import { defaultSkillLimits } from '../limits.ts';

/** Returns the discovered skills of the root, keyed by folder or file name. */
function discovered(files: Tree): ReadonlyMap<string, Discovered> {
  const { discovered: all, issues } = discover([skillsAt(files.at('skills'), 'project')], scanOptions());
  assert.deepEqual(issues, []);
  return new Map(all.map((one) => [one.found.stem, one]));
}

describe('discovery', () => {
  test('reads every descriptor once, in the order of the roots', () => {
    using files = tree({
      'b/skills/one/SKILL.md': skillText('one'),
      'a/skills/two/SKILL.md': skillText('two'),
      'a/agents/three.md': skillText('three'),
    });
    const limits = defaultSkillLimits;
    const reads: string[] = [];
    const disk: ScanDisk = {
      ...bareDisk(limits),
      read(candidate) {
        reads.push(candidate.stem);
        return bareDisk(limits).read(candidate);
      },
    };
    const roots = [
      skillsAt(files.at('b/skills')),
      skillsAt(files.at('a/skills')),
      agentsAt(files.at('a/agents')),
    ];
    const { discovered: all } = discover([...roots, ...roots], scanOptions({ disk }));
    assert.deepEqual(reads, ['one', 'two', 'three']);
    assert.deepEqual(
      all.map(({ draft, found }) => `${found.family.id} ${draft.name}`),
      ['agent-skill one', 'agent-skill two', 'subagent three'],
    );
  });

  test('uses the bare disk unless another is given', () => {
    using files = tree({ 'skills/one/SKILL.md': skillText('one') });
    const { families, limits } = scanOptions();
    const { discovered: all } = discover([skillsAt(files.at('skills'))], { families, limits });
    assert.deepEqual(
      all.map(({ draft }) => draft.name),
      ['one'],
    );
  });

  test('names the file in each finding about a descriptor', () => {
    using files = tree({
      'skills/one/SKILL.md': '---\nname: one\n---\n\nText.\n',
      'skills/two/SKILL.md': '',
    });
    for (const [stem, { draft }] of discovered(files)) {
      assert.ok(draft.issues.length > 0);
      assert.ok(draft.issues.every(({ file }) => file === files.at('skills', stem, 'SKILL.md')));
    }
  });

  test('keeps what cannot be used as an entry that says why', () => {
    using files = tree({ 'skills/empty/SKILL.md': '', 'skills/good/SKILL.md': skillText('good') });
    const found = discovered(files);
    assert.deepEqual(
      [...found].map(([stem, { draft }]) => `${stem} ${draft.usable}`),
      ['empty false', 'good true'],
    );
  });

  test('survives a descriptor that goes away before it is read', () => {
    using files = tree({
      'skills/gone/SKILL.md': skillText('gone'),
      'skills/stays/SKILL.md': skillText('stays'),
    });
    const bare = bareDisk(defaultSkillLimits);
    const disk: ScanDisk = {
      ...bare,
      read(candidate) {
        if (candidate.stem === 'gone') rmSync(candidate.realFile);
        return bare.read(candidate);
      },
    };
    const { discovered: all } = discover([skillsAt(files.at('skills'))], scanOptions({ disk }));
    assert.deepEqual(
      all.map(({ found, draft }) => `${found.stem} ${draft.usable}`),
      ['gone false', 'stays true'],
    );
    assert.deepEqual(
      all[0]?.draft.issues.map(({ code }) => code),
      ['descriptor.unreadable'],
    );
  });

  test('survives a family whose parser throws', () => {
    using files = tree({ 'skills/a/SKILL.md': skillText('a'), 'agents/b.md': skillText('b') });
    const options = scanOptions();
    const families = options.families.map((family) =>
      family.id === 'agent-skill'
        ? {
            ...family,
            parse: (): never => {
              throw new Error('a bug');
            },
          }
        : family,
    );
    const roots = [skillsAt(files.at('skills')), agentsAt(files.at('agents'))];
    const { discovered: all } = discover(roots, { ...options, families });
    assert.deepEqual(
      all.map(({ found, draft }) => `${found.stem} ${draft.usable}`),
      ['a false', 'b true'],
    );
  });
});

describe('a hostile descriptor ends within the limits, is reported and hides no sibling', () => {
  const keys = (count: number): string =>
    Array.from({ length: count }, (_, index) => `key${index}: value`).join('\n');
  const laughs = Array.from({ length: 9 }, (_, index) => {
    const inner = index === 0 ? '"lol"' : Array.from({ length: 9 }, () => `*l${index - 1}`).join(',');
    return `l${index}: &l${index} [${inner}]`;
  }).join('\n');
  const head = (text: string): string => `---\nname: bad\ndescription: Bad.\n${text}\n---\n\nBody.\n`;
  const hostile: Readonly<Record<string, readonly [text: string | Uint8Array, usable: boolean]>> = {
    'twenty thousand keys': [head(keys(20_000)), false],
    'a head of more bytes than allowed': [head(`long: ${'x'.repeat(65_536)}`), false],
    'two hundred keys and one': [head(keys(199)), false],
    'more bytes than allowed': [head('x: y') + 'x'.repeat(256_000), false],
    'billion laughs': [head(laughs), true],
    'a head in another language': ['---js\nmodule.exports = {name: "bad"}\n---\n\nBody.\n', true],
    'prototype keys': [head('__proto__: {polluted: yes}\nconstructor: {prototype: {polluted: yes}}'), true],
    'a tag that makes code': [head('code: !!js/function "function () { return 1 }"'), true],
    'deep nesting': [head(`deep: ${'['.repeat(5000)}${']'.repeat(5000)}`), false],
    'bytes that are no text': [
      Buffer.concat([Buffer.from(head('x: y')), Buffer.from([0xff, 0xfe, 0xc3])]),
      true,
    ],
    'NUL bytes only': [Buffer.alloc(5000), false],
    'fences only': ['---\n'.repeat(20_000), false],
    'one endless line': [`---${'-'.repeat(200_000)}`, false],
  };
  for (const [what, [text, usable]] of Object.entries(hostile)) {
    test(what, { timeout: 60_000 }, () => {
      using files = tree({
        'skills/a/SKILL.md': skillText('a'),
        'skills/bad/SKILL.md': text,
        'skills/z/SKILL.md': skillText('z'),
      });
      const found = discovered(files);
      assert.deepEqual([...found.keys()], ['a', 'bad', 'z']);
      assert.equal(found.get('bad')?.draft.usable, usable);
      assert.ok((found.get('bad')?.draft.issues.length ?? 0) > 0);
      assert.equal(Reflect.get({}, 'polluted'), undefined);
      for (const stem of ['a', 'z']) {
        assert.deepEqual([found.get(stem)?.draft.usable, found.get(stem)?.draft.issues], [true, []]);
      }
    });
  }
});

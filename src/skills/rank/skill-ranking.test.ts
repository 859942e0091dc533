import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { describe, test } from 'node:test';
import { WordEmbedder } from '../../../test/support/embedder.ts';
import { probedSkills } from '../../../test/support/ranked-skills.ts';
import { rankedFolder, type RankedFolder } from '../../../test/support/ranking.ts';
import { eventually } from '../../../test/support/deadline.ts';
import { skillsAt } from '../../../test/support/skills.ts';
import { skillText, tree } from '../../../test/support/tree.ts';
import { defineSkill } from '../../core/define-skill.ts';
import type { Ranking } from './skill-ranking.ts';

const files = {
  'skills/forms/SKILL.md': text('forms', 'Fills in application forms.', 'Flatten the blanks.'),
  'skills/charts/SKILL.md': text('charts', 'Draws bars and lines.', 'Label the axes.'),
  'skills/trips/SKILL.md': text('trips', 'Plans journeys by train.', 'Compare connections.'),
};

function text(name: string, description: string, body: string, more = ''): string {
  return `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n${more}---\n\n# ${name}\n\n${body}\n`;
}

const namesOf = ({ candidates }: Ranking): readonly string[] => candidates.map(({ name }) => name);

function meaningful(path: string, cacheFolder?: string): RankedFolder & { readonly embedder: WordEmbedder } {
  const embedder = new WordEmbedder();
  const more = cacheFolder === undefined ? {} : { cacheFolder };
  return { ...rankedFolder(path, { openEmbedder: () => embedder, ...more }), embedder };
}

describe('by words', () => {
  test('names, descriptions and bodies are searched', async () => {
    using folder = tree(files);
    const { skills } = rankedFolder(folder.path);
    assert.deepEqual(namesOf(await skills.rank('charts')), ['charts']);
    assert.deepEqual(namesOf(await skills.rank('a journey')), ['trips']);
    assert.deepEqual(namesOf(await skills.rank('flatten it')), ['forms']);
    assert.equal((await skills.rank('flatten it')).by, 'words');
  });

  test('nothing fits: no candidate, and it says so', async () => {
    using folder = tree(files);
    const { skills } = rankedFolder(folder.path);
    for (const prompt of ['zebra', '', 'the of and']) {
      const { candidates, abstain, threshold, by } = await skills.rank(prompt);
      assert.deepEqual({ candidates, abstain, by }, { candidates: [], abstain: true, by: 'words' });
      assert.ok(threshold > 0);
    }
  });

  test('a registry without skills is ranked too', async () => {
    using folder = tree();
    const { skills } = meaningful(folder.path);
    assert.deepEqual((await skills.rank('charts')).candidates, []);
    assert.equal(await skills.awaitMeanings(), 0);
  });

  test('a limit and a family narrow the answer', async () => {
    using folder = tree({
      ...files,
      'skills/lines/cskill.md': '# lines\n\n## Description\n\nDraws lines.\n\n## Input Format\n\nText.\n',
    });
    const { skills } = rankedFolder(folder.path);
    assert.deepEqual(new Set(namesOf(await skills.rank('draw lines'))), new Set(['lines', 'charts']));
    assert.deepEqual(namesOf(await skills.rank('draw lines', { family: 'code-skill' })), ['lines']);
    assert.deepEqual(namesOf(await skills.rank('draw lines', { family: 'agent-skill' })), ['charts']);
    assert.deepEqual(namesOf(await skills.rank('draw lines', { family: 'no-such' })), []);
    assert.equal((await skills.rank('draw lines', { limit: 1 })).candidates.length, 1);
    assert.equal((await skills.rank('draw lines', { limit: 0 })).candidates.length, 0);
  });

  test('what a model may not choose is never a candidate', async () => {
    const tool = defineSkill({ name: 'tool', description: 'Draws zebras.', instructions: 'x' });
    using folder = tree({
      'skills/ready/SKILL.md': skillText('ready', 'Draws zebras well.'),
      'skills/missing/SKILL.md': skillText(
        'missing',
        'Draws zebras.',
        'metadata: {skilled: {requires: {bins: [no-such]}}}\n',
      ),
      'skills/manual/SKILL.md': skillText('manual', 'Draws zebras.', 'disable-model-invocation: true\n'),
      'skills/zz/SKILL.md': skillText('ready', 'Draws zebras, shadowed.'),
      'skills/broken/SKILL.md': '',
      'skills/loose.md': '---\nname: loose\n---\n\nDraws zebras.\n',
    });
    const { skills } = rankedFolder(folder.path, { builtins: [tool] });
    const statuses = new Set(skills.list().map(({ status }) => status));
    for (const status of ['ready', 'unavailable', 'shadowed', 'invalid'] as const)
      assert.ok(statuses.has(status), status);
    assert.equal(skills.resolve('loose').card.listed, false);
    assert.deepEqual(namesOf(await skills.rank('draw zebras ready tool missing manual loose broken')), [
      'ready',
    ]);
    const withInternals = await skills.rank('draw zebras', { internals: true });
    assert.deepEqual(new Set(namesOf(withInternals)), new Set(['ready', 'tool']));
    assert.deepEqual(namesOf(await skills.rank('draw zebras')), ['ready']);
  });

  test('two families under one name come by names that reach each of them', async () => {
    using folder = tree({
      'skills/twin/SKILL.md': skillText('twin', 'Draws zebras.'),
      'skills/twin/cskill.md': '# twin\n\n## Description\n\nCounts zebras.\n\n## Input Format\n\nText.\n',
    });
    const { skills } = rankedFolder(folder.path);
    const names = namesOf(await skills.rank('zebras'));
    assert.equal(names.length, 2);
    assert.deepEqual(
      new Set(names.map((name) => skills.resolve(name).file)),
      new Set([folder.at('skills/twin/SKILL.md'), folder.at('skills/twin/cskill.md')]),
    );
  });

  test('skills defined in code, replaced and taken away are followed', async () => {
    const skills = skillsAt();
    const replaceSkill = (description: string): void => {
      skills.replace(defineSkill({ name: 'made', description, instructions: 'x' }));
    };
    replaceSkill('Draws zebras.');
    assert.deepEqual(namesOf(await skills.rank('zebras')), ['made']);
    replaceSkill('Counts lions.');
    assert.deepEqual(namesOf(await skills.rank('zebras')), []);
    assert.deepEqual(namesOf(await skills.rank('lions')), ['made']);
    skills.unregister('made');
    assert.deepEqual(namesOf(await skills.rank('lions made')), []);
  });

  test('the schemas of a skill are not made for ranking and searching it', async () => {
    const input = (): never => assert.fail('nobody asked for the schema');
    const skills = skillsAt();
    skills.register(defineSkill({ name: 'made', description: 'Draws zebras.', instructions: 'x', input }));
    assert.deepEqual(namesOf(await skills.rank('zebras')), ['made']);
    assert.equal(skills.search({ query: 'zebras' }).length, 1);
  });

  test('a changed file is read again, and only that one', async () => {
    using folder = tree(files);
    const { skills, look } = rankedFolder(folder.path);
    await skills.rank('charts');
    folder.write('skills/charts/SKILL.md', text('charts', 'Draws bars and lines.', 'Mind the zebras.'));
    skills.register(defineSkill({ name: 'other', description: 'Counts lions.', instructions: 'x' }));
    assert.deepEqual(namesOf(await skills.rank('axes')), ['charts'], 'not read again');
    assert.deepEqual(namesOf(await skills.rank('zebras')), []);
    look();
    assert.deepEqual(namesOf(await skills.rank('zebras')), ['charts']);
    assert.deepEqual(namesOf(await skills.rank('axes')), []);
  });

  test('a file that is gone since it was found is ranked by its card', async () => {
    using folder = tree(files);
    const { skills } = rankedFolder(folder.path);
    skills.snapshot();
    rmSync(folder.path, { recursive: true });
    assert.deepEqual(namesOf(await skills.rank('bars')), ['charts']);
    assert.deepEqual(namesOf(await skills.rank('axes')), []);
  });

  test('answers of several callers at once are those of their registries', async () => {
    using folder = tree();
    for (const { name, description, body } of probedSkills)
      folder.write(`skills/${name}/SKILL.md`, text(name, description, body));
    const { skills, look } = rankedFolder(folder.path);
    const asked = probedSkills.map(async ({ probe }, index) => {
      if (index % 10 === 5) {
        folder.write(`skills/new-${index}/SKILL.md`, text(`new-${index}`, 'Counts lions.', ''));
        look();
      }
      return skills.rank(probe);
    });
    const concurrent = await Promise.all(asked);
    const again = rankedFolder(folder.path).skills;
    for (const [index, { probe }] of probedSkills.entries())
      assert.deepEqual(namesOf(concurrent[index] as Ranking)[0], namesOf(await again.rank(probe))[0], probe);
  });

  test('after many changes it answers as if it had just been opened', async () => {
    const skills = skillsAt();
    const register = (round: number): void => {
      for (const { name, description } of probedSkills)
        skills.replace(
          defineSkill({ name, description: `${description} Edition ${round}.`, instructions: 'x' }),
        );
    };
    for (let round = 0; round < 6; round++) {
      register(round);
      await skills.rank('edition');
    }
    const fresh = skillsAt();
    for (const { name, description } of probedSkills)
      fresh.register(defineSkill({ name, description: `${description} Edition 5.`, instructions: 'x' }));
    for (const { probe } of probedSkills) assert.deepEqual(await skills.rank(probe), await fresh.rank(probe));
  });
});

describe('by meaning', () => {
  test('words answer until the meanings are known, and no one waits for them', async () => {
    using folder = tree(files);
    const { skills, embedder } = meaningful(folder.path);
    const release = embedder.hold();
    const first = await skills.rank('application');
    assert.deepEqual([first.by, namesOf(first)], ['words', ['forms']]);
    assert.equal((await skills.rank('application')).by, 'words');
    release();
    assert.equal(await skills.awaitMeanings(), 0);
    const then = await skills.rank('application forms');
    assert.deepEqual([then.by, namesOf(then)[0]], ['meaning', 'forms']);
    assert.deepEqual(embedder.asked, ['application forms']);
    assert.deepEqual(skills.diagnostics(), []);
  });

  test('asking once is enough for the meanings to be learned in the background', async () => {
    using folder = tree(files);
    const { skills, embedder } = meaningful(folder.path);
    embedder.delay = 1;
    await skills.rank('forms');
    await eventually(async () => assert.equal((await skills.rank('forms')).by, 'meaning'));
  });

  test('each text is learned once, also when many ask at the same time', async () => {
    using folder = tree(files);
    const { skills, embedder } = meaningful(folder.path);
    embedder.delay = 1;
    const asking = [
      skills.awaitMeanings(),
      skills.rank('forms'),
      skills.awaitMeanings(),
      skills.rank('charts'),
    ];
    await Promise.all(asking);
    assert.equal(new Set(embedder.learned).size, embedder.learned.length);
    assert.equal(embedder.learned.length, 3 * 3);
  });

  test('of one changed skill only its own texts are learned', async () => {
    using folder = tree(files);
    const { skills, embedder, look } = meaningful(folder.path);
    await skills.awaitMeanings();
    embedder.learned.length = 0;
    folder.write('skills/charts/SKILL.md', text('charts', 'Counts zebras.', 'Mind the stripes.'));
    look();
    assert.equal((await skills.rank('zebras')).by, 'words');
    assert.equal(await skills.awaitMeanings(), 0);
    assert.equal(embedder.learned.length, 2, 'its name is known');
    assert.ok(embedder.learned.every((each) => /zebras|stripes/.test(each)));
    const after = await skills.rank('zebras');
    assert.deepEqual([after.by, namesOf(after)[0]], ['meaning', 'charts']);
  });

  test('a skill may disappear while its texts are embedded', async () => {
    using folder = tree(files);
    const { skills, embedder } = meaningful(folder.path);
    const release = embedder.hold();
    await skills.rank('forms');
    skills.unregister('forms');
    assert.deepEqual(namesOf(await skills.rank('application')), []);
    release();
    assert.equal(await skills.awaitMeanings(), 0);
    assert.ok(!namesOf(await skills.rank('application forms')).includes('forms'));
  });

  test('nothing is learned when more is missing than may be', async () => {
    using folder = tree(files);
    const { skills, embedder } = meaningful(folder.path);
    assert.equal(await skills.awaitMeanings({ most: 8 }), 9);
    assert.deepEqual(embedder.learned, []);
    assert.equal(await skills.awaitMeanings({ most: 9 }), 0);
  });

  test('vectors are kept: the next start learns nothing', async () => {
    using folder = tree(files);
    using cache = tree();
    const first = meaningful(folder.path, cache.path);
    await first.skills.awaitMeanings();
    const before = await first.skills.rank('forms');
    await first.ranking.close();
    assert.equal(readdirSync(cache.path).length, 1);
    const next = meaningful(folder.path, cache.path);
    assert.deepEqual(await next.skills.rank('forms'), before);
    assert.equal(before.by, 'meaning');
    assert.deepEqual(next.embedder.learned, []);
  });

  test('closing while it learns keeps what is known, stops and rejects nothing', async () => {
    using folder = tree();
    using cache = tree();
    for (const { name, description, body } of probedSkills)
      folder.write(`skills/${name}/SKILL.md`, text(name, description, body));
    const { skills, ranking, embedder } = meaningful(folder.path, cache.path);
    embedder.delay = 5;
    const waiting = skills.awaitMeanings();
    await eventually(() => assert.ok(embedder.learned.length > 40));
    await ranking.close();
    assert.ok((await waiting) > 0);
    assert.deepEqual(skills.diagnostics(), []);
    assert.equal((await skills.rank('forms')).by, 'words');
    await ranking.close();
    const next = meaningful(folder.path, cache.path);
    await next.skills.awaitMeanings();
    assert.ok(next.embedder.learned.length <= 3 * probedSkills.length - 16);
  });

  test('closing before anything was asked opens no encoder', async () => {
    using folder = tree(files);
    const { ranking } = rankedFolder(folder.path, { openEmbedder: () => assert.fail('opened') });
    await ranking.close();
  });

  test('an encoder that fails leaves words and one remark', async () => {
    using folder = tree(files);
    const { skills, embedder } = meaningful(folder.path);
    embedder.failure = new Error('the model is broken');
    assert.ok((await skills.awaitMeanings()) > 0, 'it may work the next time');
    assert.equal(await skills.awaitMeanings(), 0, 'it is not asked a third time');
    for (let round = 0; round < 3; round++) {
      const { by, candidates } = await skills.rank('application');
      assert.deepEqual([by, candidates[0]?.name], ['words', 'forms']);
    }
    const remarks = skills.diagnostics();
    assert.deepEqual(
      remarks.map(({ level, code }) => `${level} ${code}`),
      ['info rank.by-words'],
    );
    assert.match(remarks[0]?.message ?? '', /the model is broken/);
  });

  test('an encoder that fails at the prompt leaves words and one remark', async () => {
    using folder = tree(files);
    const { skills, embedder } = meaningful(folder.path);
    await skills.awaitMeanings();
    embedder.failure = new Error('the thread ended');
    const [a, b] = await Promise.all([skills.rank('application'), skills.rank('bars')]);
    assert.deepEqual([a.by, namesOf(a), b.by, namesOf(b)], ['words', ['forms'], 'words', ['charts']]);
    assert.equal(skills.diagnostics().length, 1);
  });

  test('an encoder with vectors of another length leaves words and one remark', async () => {
    using folder = tree(files);
    const { skills, embedder } = meaningful(folder.path);
    embedder.embed = async (texts) => texts.map(() => new Float32Array(3));
    await skills.awaitMeanings();
    assert.equal((await skills.rank('application')).by, 'words');
    assert.deepEqual(
      skills.diagnostics().map(({ code }) => code),
      ['rank.by-words'],
    );
  });

  test('a cache that cannot be written is a remark and no trouble', async () => {
    using folder = tree(files);
    const { skills } = meaningful(folder.path, folder.write('file', ''));
    assert.equal(await skills.awaitMeanings(), 0);
    assert.equal((await skills.rank('application forms')).by, 'meaning');
    assert.deepEqual(
      skills.diagnostics().map(({ level, code }) => `${level} ${code}`),
      ['info cache.unwritable'],
    );
  });

  test('a skill without description and body has meanings too', async () => {
    using folder = tree({ 'skills/zebras/SKILL.md': '---\nname: zebras\ndescription: Z\n---\n', ...files });
    const { skills } = meaningful(folder.path);
    assert.equal(await skills.awaitMeanings(), 0);
    const { by, candidates } = await skills.rank('zebras');
    assert.deepEqual([by, candidates[0]?.name], ['meaning', 'zebras']);
    for (const { score } of candidates) assert.ok(score > 0 && score <= 1);
  });

  test('a prompt without words is answered', async () => {
    using folder = tree(files);
    const { skills } = meaningful(folder.path);
    await skills.awaitMeanings();
    for (const prompt of ['', ' ', '\ud83d', '😀'.repeat(10_000), 'x'.repeat(1_000_000)]) {
      const { candidates, abstain, threshold } = await skills.rank(prompt);
      assert.ok(candidates.every(({ score }) => score > 0 && score <= 1));
      assert.equal(abstain, (candidates[0]?.score ?? 0) < threshold);
    }
  });
});

describe('the functions that use it', () => {
  test('search gives the best first, and what only contains the letters after it', () => {
    using folder = tree({
      'skills/alpha/SKILL.md': skillText('alpha', 'Sorts mail and reports weather now and then.'),
      'skills/bravo/SKILL.md': skillText('bravo', 'Paints. The weathering of stone is its subject.'),
      'skills/weather/SKILL.md': skillText('weather', 'Tells the weather.'),
      'skills/other/SKILL.md': skillText('other', 'Something else.'),
    });
    const skills = skillsAt(folder.path);
    const found = skills.search({ query: 'weather' }).map(({ name }) => name);
    assert.equal(found[0], 'weather');
    assert.deepEqual(new Set(found), new Set(['weather', 'alpha', 'bravo']));
    assert.deepEqual(
      skills.search({ query: 'eathe' }).map(({ name }) => name),
      ['alpha', 'bravo', 'weather'],
    );
    assert.deepEqual(
      skills.search({ query: 'weather', limit: 1 }).map(({ name }) => name),
      ['weather'],
    );
    assert.deepEqual(skills.search({ query: 'zebra' }), []);
  });

  test('a catalog with little room shows what the request is about', async () => {
    using folder = tree();
    for (const { name, description, body } of probedSkills)
      folder.write(`skills/${name}/SKILL.md`, text(name, description, body));
    const { skills } = rankedFolder(folder.path);
    const limits = { maxSkills: 5, maxChars: 3_000 };
    let shown = 0;
    for (const { name, probe } of probedSkills) {
      const catalog = await skills.catalog({ request: probe, limits });
      assert.ok(catalog.chars <= 3_000 && catalog.shown <= 5);
      if (catalog.text.includes(`<name>${name}</name>`)) shown++;
    }
    assert.ok(shown / probedSkills.length >= 0.95, `${shown} of ${probedSkills.length}`);
  });

  test('a catalog with room for all, and one without a request, is the same text every time', async () => {
    using folder = tree(files);
    const { skills } = meaningful(folder.path);
    const { text: before } = await skills.catalog();
    const limits = { maxSkills: 2 };
    const { text: short } = await skills.catalog({ limits });
    await skills.rank('trips');
    await skills.awaitMeanings();
    assert.equal((await skills.catalog()).text, before);
    assert.equal((await skills.catalog({ limits })).text, short);
    assert.equal((await skills.catalog({ request: 'trips' })).text, before);
    assert.ok((await skills.catalog({ limits, request: 'journey' })).text.includes('<name>trips</name>'));
  });
});

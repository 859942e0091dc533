import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileStage, skillFile, type FileStage } from '../../../test/support/file-stage.ts';
import { settled } from '../../../test/support/deadline.ts';

const toolsOf = ({ model }: FileStage, index = 0): readonly string[] =>
  (model.requests[index]?.tools ?? []).map(({ name }) => name).toSorted();
const readers = ['ask-user', 'glob', 'grep', 'read'];
const hidden = { exposeInternalSkills: false };

describe('skills of the package that the host does not expose', () => {
  test('stay for a skill without lists as far as they only read', async () => {
    const files = {
      work: skillFile('work', 'Work.'),
      'skills/desk/oskill.md': '# desk\n\nAnswers questions about orders.\n\n## Session\n\nloop\n',
    };
    await using stage = fileStage(files, () => 'Done.', hidden);
    await stage.run('work');
    await stage.run('desk', 'Which orders are open?');
    for (const index of [0, 1]) {
      const tools = toolsOf(stage, index);
      assert.deepEqual(
        tools.filter((name) => !['skill', 'desk', 'work'].includes(name)),
        readers,
      );
    }
  });

  test('are there where a list names them', async () => {
    const files = {
      named: skillFile('named', 'Work.', 'allowed-tools: Read Bash\n'),
      'skills/desk/oskill.md':
        '# desk\n\nAnswers questions.\n\n## Session\n\nloop\n\n## Allowed Skills\n\n- write\n- webfetch\n',
    };
    await using stage = fileStage(files, () => 'Done.', hidden);
    await stage.run('named');
    await stage.run('desk', 'Which orders are open?');
    assert.deepEqual(toolsOf(stage, 0), ['bash', 'bash-kill', 'bash-output', 'read']);
    assert.deepEqual(toolsOf(stage, 1), ['webfetch', 'write']);
  });

  test('read for the assistant, which gets others with a loaded skill that names them', async () => {
    const files = { brush: skillFile('brush', 'Paint.', 'allowed-tools: Bash(ls *)\n') };
    const load = { calls: [{ name: 'skill', input: { name: 'brush' } }] };
    const script = [load, 'Done.'];
    await using stage = fileStage(files, script, hidden);
    await settled(stage.agent.run({ prompt: 'zzz qqq' }).result);
    const [before, after] = [0, 1].map((index) => toolsOf(stage, index));
    assert.deepEqual(before, [...readers, 'skill'].toSorted());
    assert.deepEqual(after, [...readers, 'bash', 'bash-kill', 'bash-output', 'skill'].toSorted());
  });

  test('include find-skills as soon as the catalog omits something', async () => {
    const many = Array.from({ length: 120 }, (_, index) => `tool-${index}`);
    const about = 'x'.repeat(20) + ' does a lot of work with many words. ';
    const files = many.map((name) => [
      name,
      `---\nname: ${name}\ndescription: ${about.repeat(4)}${name}\n---\nDo.\n`,
    ]);
    await using stage = fileStage(Object.fromEntries(files) as Record<string, string>, () => 'Done.', hidden);
    await settled(stage.agent.run({ prompt: 'zzz qqq' }).result);
    await stage.run('tool-1');
    for (const index of [0, 1]) {
      assert.match(
        stage.model.requests[index]?.tools?.find(({ name }) => name === 'skill')?.description ?? '',
        /find-skills searches the rest/,
      );
      assert.ok(toolsOf(stage, index).includes('find-skills'), String(index));
    }
  });
});

describe('names of tools in a SKILL.md', () => {
  test('mean registered skills and the tools of other programs, and the rest is reported once', async () => {
    const head = 'allowed-tools: [search, AskUserQuestion, MultiEdit, WebSearch, TodoWrite, frobnicate]\n';
    const files = {
      work: skillFile('work', 'Work.', head),
      search: skillFile('search', 'Search.'),
      other: skillFile('other', 'Other.'),
    };
    await using stage = fileStage(files, () => 'Done.');
    await stage.run('work');
    assert.deepEqual(toolsOf(stage), ['ask-user', 'edit', 'skill']);
    const [tool] = (stage.model.requests[0]?.tools ?? []).filter(({ name }) => name === 'skill');
    assert.match(tool?.description ?? '', /search/);
    assert.doesNotMatch(tool?.description ?? '', /<name>other/);
    const found = stage.agent.skills.diagnostics().filter(({ code }) => code.startsWith('list.'));
    assert.deepEqual(
      found.map(({ code, line, level }) => [code, line, level]),
      [
        ['list.unavailable-tool', 4, 'warning'],
        ['list.unavailable-tool', 4, 'warning'],
        ['list.unknown-tool', 4, 'warning'],
      ],
    );
  });
});

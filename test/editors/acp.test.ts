import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { methods, type PromptResponse, type SessionUpdate } from '@agentclientprotocol/sdk';
import { openModelServer } from '../../src/testing/model-server/server.ts';
import type { ServedScript } from '../../src/testing/model-server/script.ts';
import { until } from '../support/deadline.ts';
import { tree } from '../support/tree.ts';
import { openEditor, textIn, type EditorAnswers, type TestEditor } from './editor.ts';

/** A project with a model server behind it. */
async function openProject(script: ServedScript) {
  const files = tree({
    'home/x': '',
    'project/notes.txt': 'one\n',
    'project/.agents/skills/greet/SKILL.md':
      '---\nname: greet\ndescription: Greets a person by name.\nargument-hint: <name>\n---\nGreet $ARGUMENTS warmly.\n',
  });
  const server = await openModelServer(script);
  const cwd = files.at('project');
  const home = files.at('home');
  const env = { HOME: home, SKILLED_HOME: join(home, 'own'), PATH: process.env['PATH'] ?? '' };
  const args = ['--base-url', `${server.url}/v1`, '--model', 'llama'];
  return {
    files,
    server,
    cwd,
    open: (answers?: EditorAnswers) => openEditor(args, { cwd, env }, answers),
    async [Symbol.asyncDispose]() {
      await server.close();
      files[Symbol.dispose]();
    },
  };
}

async function newSession({ agent }: TestEditor, cwd: string): Promise<string> {
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
  return sessionId;
}

function say({ agent }: TestEditor, sessionId: string, text: string): Promise<PromptResponse> {
  return agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] });
}

const change = { name: 'edit', input: { file_path: 'notes.txt', old_string: 'one', new_string: 'two' } };
const steps = {
  items: [
    { text: 'Look', status: 'done' },
    { text: 'Change', status: 'doing' },
  ],
};

function ofKind<Kind extends SessionUpdate['sessionUpdate']>(
  { updates }: TestEditor,
  kind: Kind,
): readonly Extract<SessionUpdate, { sessionUpdate: Kind }>[] {
  return updates.filter((update) => update.sessionUpdate === kind) as never;
}

test('an editor sees a plan and an edit with its difference, denies it with a reason, and continues after a restart', async () => {
  await using project = await openProject([
    { text: 'I plan.', calls: [{ name: 'todo', input: steps }] },
    { calls: [change] },
    'I leave the file alone.',
    { calls: [change] },
    'Changed.',
    'Hello Ann!',
  ]);
  const { files, server, cwd } = project;
  let sessionId: string;
  {
    let choice = 'deny';
    await using editor = await project.open({
      permission: () => ({
        outcome: { outcome: 'selected', optionId: choice },
        _meta: { reason: 'not that file' },
      }),
    });
    sessionId = await newSession(editor, cwd);
    const denied = await say(editor, sessionId, 'change one to two in notes.txt');
    assert.equal(denied.stopReason, 'end_turn', editor.err());
    const [asked] = editor.permissions;
    assert.deepEqual(asked?.toolCall.locations, [{ path: join(cwd, 'notes.txt') }]);
    assert.deepEqual(asked.toolCall.content?.[0], {
      type: 'diff',
      path: join(cwd, 'notes.txt'),
      oldText: 'one',
      newText: 'two',
    });
    assert.deepEqual(
      asked.options.map(({ kind }) => kind),
      ['allow_once', 'allow_always', 'reject_once'],
    );
    assert.match(JSON.stringify(server.requests.at(-1)?.body), /not that file/, 'the model reads the reason');
    assert.deepEqual(
      ofKind(editor, 'plan')
        .at(-1)
        ?.entries.map(({ content, status }) => [content, status]),
      [
        ['Look', 'completed'],
        ['Change', 'in_progress'],
      ],
    );
    assert.equal(readFileSync(files.at('project/notes.txt'), 'utf8'), 'one\n');
    choice = 'once';
    await say(editor, sessionId, 'then try again');
    assert.equal(readFileSync(files.at('project/notes.txt'), 'utf8'), 'two\n');
    const id = editor.permissions.at(-1)?.toolCall.toolCallId;
    const states = editor.updates.flatMap((update) =>
      'toolCallId' in update && update.toolCallId === id ? [update.status] : [],
    );
    assert.deepEqual(states, ['pending', 'in_progress', 'completed']);
    assert.equal(textIn(editor.updates, 'agent_message_chunk'), 'I plan.\n\nI leave the file alone.Changed.');
    await editor.kill();
  }
  await using editor = await project.open();
  assert.equal(editor.greeting.agentCapabilities?.loadSession, true);
  await editor.agent.request(methods.agent.session.load, { sessionId, cwd, mcpServers: [] });
  assert.equal(
    textIn(editor.updates, 'user_message_chunk'),
    'change one to two in notes.txtthen try again',
    'the conversation is shown again',
  );
  assert.equal(ofKind(editor, 'tool_call').length, 3);
  const offered = (): boolean =>
    ofKind(editor, 'available_commands_update').some(({ availableCommands }) =>
      availableCommands.some(({ name }) => name === 'greet'),
    );
  await until(offered);
  await say(editor, sessionId, '/greet Ann');
  assert.match(textIn(editor.updates, 'agent_message_chunk'), /Hello Ann!$/);
  const { sessions } = await editor.agent.request(methods.agent.session.list, { cwd });
  assert.deepEqual(
    sessions.map(({ sessionId: id }) => id),
    [sessionId],
  );
});

test('a question is a form, or the end of the turn if the editor has no forms', async () => {
  const ask = {
    calls: [{ name: 'ask-user', input: { question: 'Which colour?', options: ['red', 'blue'] } }],
  };
  await using project = await openProject([ask, 'Red it is.', ask, 'Blue it is.']);
  {
    await using editor = await project.open({
      capabilities: { elicitation: { form: {} } },
      form: () => ({ action: 'accept', content: { answer: 'red' } }),
    });
    await say(editor, await newSession(editor, project.cwd), 'paint the wall for me please');
    assert.match(textIn(editor.updates, 'agent_message_chunk'), /Red it is\.$/, editor.err());
  }
  await using editor = await project.open();
  const sessionId = await newSession(editor, project.cwd);
  await say(editor, sessionId, 'paint the wall for me please');
  assert.match(textIn(editor.updates, 'agent_message_chunk'), /Which colour\?/);
  await say(editor, sessionId, 'blue');
  assert.match(textIn(editor.updates, 'agent_message_chunk'), /Blue it is\.$/);
});

test('a cancelled turn ends as cancelled, and its run too', async () => {
  const held = Promise.withResolvers<string>();
  await using project = await openProject(() => held.promise);
  await using editor = await project.open();
  const sessionId = await newSession(editor, project.cwd);
  const turn = say(editor, sessionId, 'write a long story about rivers');
  await project.server.waitForRequest(0);
  await assert.rejects(say(editor, sessionId, 'and another'), 'one prompt at a time');
  await editor.agent.notify(methods.agent.session.cancel, { sessionId });
  assert.equal((await turn).stopReason, 'cancelled');
  held.resolve('late');
  await assert.rejects(say(editor, 'acp-unknown', 'hello'));
  await assert.rejects(
    editor.agent.request(methods.agent.session.load, { sessionId: 's1', cwd: project.cwd, mcpServers: [] }),
    'only sessions of editors can be loaded',
  );
});

import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { basename, delimiter, dirname } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { withoutBubblewrap } from '../../../test/support/bubblewrap.ts';
import { done, settled } from '../../../test/support/kernel.ts';
import { serveSkills, skillText, type SkillServer } from '../../../test/support/skill-server.ts';
import { tree, type Tree } from '../../../test/support/tree.ts';
import { defaultPorts } from '../../config/defaults.ts';
import { defineSkill } from '../../core/define-skill.ts';
import type { HttpServer, StdioServer } from '../../core/servers/tool-server.ts';
import { createScriptedModel } from '../../models/scripted.ts';
import { openTrustBook } from '../../policy/trust-book.ts';
import { createPlainSandboxes } from '../../sandboxes/plain-provider.ts';
import type { AgentOptions } from '../options.ts';
import { BareAgent } from '../recursive-skilled-agent.ts';

const slow: HttpServer = {
  kind: 'http',
  name: 'slow',
  url: 'http://127.0.0.1:9/mcp',
  headers: {},
  skills: true,
};

test('an agent that is shut down waits for no server that is asked for its skills', async () => {
  const asked = Promise.withResolvers<undefined>();
  const mountSkills: ReturnType<typeof defaultPorts>['mountSkills'] = ({ signal }) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve({ issues: [] }));
      asked.resolve(undefined);
    });
  const options = { mcpServers: [slow], embeddings: false };
  const agent = new BareAgent(options, { ...defaultPorts({}), mountSkills });
  agent.skills.register(defineSkill({ name: 'work', description: 'Works.', run: () => done() }));
  const { result } = agent.run({ skill: 'work' });
  await asked.promise;
  await settled(agent.shutdown({ drainMs: 0 }), 'the shutdown');
  assert.ok(['done', 'running'].includes((await settled(result)).status));
});

function agentIn(files: Tree, options: AgentOptions): BareAgent {
  const ports = defaultPorts({
    HOME: files.at('home'),
    PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
  });
  return new BareAgent({ startDir: files.at('work'), cache: files.at('cache'), ...options }, ports);
}

function over({ url }: SkillServer, name = 'acme'): HttpServer {
  return { kind: 'http', name, url, headers: {}, skills: true };
}

function mounted(agent: BareAgent): readonly string[] {
  const own = agent.skills.list().filter(({ source }) => source === 'mcp');
  return own.map(({ name, server, status }) => `${name} ${server ?? ''} ${status}`);
}

function codes(agent: BareAgent): readonly string[] {
  return agent.skills.diagnostics().map(({ code }) => code);
}

describe('skills of servers', () => {
  let served: Record<string, string>;
  let server: SkillServer;
  before(async () => {
    server = await serveSkills(() => served);
  });
  after(() => server[Symbol.asyncDispose]());
  const serve = (files: Record<string, string>): void => {
    served = files;
    server.refuses = undefined;
  };

  test('are there when the agent is ready, by their name and with that of the server', async () => {
    using files = tree({ 'work/.git/HEAD': '' });
    serve({ 'greet/SKILL.md': skillText('greet') });
    await using agent = agentIn(files, { mcpServers: [over(server)] });
    assert.deepEqual(mounted(agent), [], 'nobody asked the server yet');
    await agent.ready();
    assert.deepEqual(mounted(agent), ['greet acme ready']);
    for (const name of ['greet', 'acme/greet', 'mcp:greet'])
      assert.equal(agent.skills.resolve(name).server, 'acme');
    const { root } = agent.skills.resolve('greet');
    assert.partialDeepStrictEqual(
      agent.roots().find(({ path }) => path === root),
      { source: 'mcp', server: 'acme' },
    );
    assert.equal(
      (JSON.parse(JSON.stringify(agent.skills.get('greet'))) as { server: string }).server,
      'acme',
    );
  });

  test('are there in a run too when no one waited for that', async () => {
    using files = tree({ 'work/.git/HEAD': '' });
    serve({ 'greet/SKILL.md': skillText('greet') });
    await using agent = agentIn(files, { mcpServers: [over(server)] });
    assert.equal(agent.skills.has('greet'), false);
    const { status } = await agent.run({ skill: 'greet' }).result;
    assert.equal(status, 'waiting', 'nobody trusts it');
    assert.equal(agent.skills.has('greet'), true);
  });

  test('are not asked for where only given folders count, and not without being wanted', async () => {
    using files = tree({ 'work/.git/HEAD': '' });
    serve({ 'greet/SKILL.md': skillText('greet') });
    const { skills: _, ...unwanted } = over(server);
    for (const options of [{ mcpServers: [unwanted] }, { mcpServers: [over(server)], only: true }]) {
      await using agent = await agentIn(files, options).ready();
      assert.deepEqual(mounted(agent), []);
    }
    assert.ok(!existsSync(files.at('cache/servers')));
  });

  test('take no name from others, and are reached by that of their server', async () => {
    using files = tree({
      'work/.git/HEAD': '',
      'work/skills/greet/SKILL.md': skillText('greet', 'Ours.'),
    });
    serve({
      'greet/SKILL.md': skillText('greet'),
      'read/SKILL.md': skillText('read'),
      'part/SKILL.md': skillText('part'),
    });
    await using agent = await agentIn(files, { mcpServers: [over(server), over(server, 'other')] }).ready();
    assert.deepEqual(mounted(agent).toSorted(), [
      'greet acme shadowed',
      'greet other shadowed',
      'part acme ready',
      'part other shadowed',
      'read acme shadowed',
      'read other shadowed',
    ]);
    assert.equal(agent.skills.resolve('greet').source, 'project');
    assert.equal(agent.skills.resolve('read').source, 'bundled');
    for (const name of ['greet', 'part', 'read']) {
      for (const at of ['acme', 'other']) assert.equal(agent.skills.resolve(`${at}/${name}`).server, at);
    }
    assert.equal(codes(agent).filter((code) => code === 'registry.shadowed').length, 5);
  });

  test('are looked at again with a reload, also while the disk is watched', async () => {
    for (const watch of [false, true]) {
      using files = tree({ 'work/.git/HEAD': '' });
      serve({ 'greet/SKILL.md': skillText('greet') });
      await using agent = await agentIn(files, { mcpServers: [over(server)], watch }).ready();
      const before = agent.skills.digest(agent.skills.resolve('greet'));
      serve({ 'greet/SKILL.md': skillText('greet', 'Say goodbye.'), 'part/SKILL.md': skillText('part') });
      await agent.reload();
      assert.deepEqual(mounted(agent), ['greet acme ready', 'part acme ready']);
      assert.notEqual(agent.skills.digest(agent.skills.resolve('greet')), before);
      server.refuses = 500;
      await agent.reload();
      assert.deepEqual(mounted(agent), ['greet acme ready', 'part acme ready']);
      assert.ok(codes(agent).includes('mount.kept'));
    }
  });

  test('of a server that is away are those of the last time, in another process too', async () => {
    using files = tree({ 'work/.git/HEAD': '' });
    serve({ 'greet/SKILL.md': skillText('greet') });
    await (await agentIn(files, { mcpServers: [over(server)] }).ready()).shutdown();
    server.refuses = 500;
    await using agent = await agentIn(files, { mcpServers: [over(server)] }).ready();
    assert.deepEqual(mounted(agent), ['greet acme ready']);
    assert.deepEqual(codes(agent), ['mount.kept']);
  });

  test('go with the agent where nothing is kept', async () => {
    using files = tree({ 'work/.git/HEAD': '' });
    serve({ 'greet/SKILL.md': skillText('greet') });
    const agent = await agentIn(files, { mcpServers: [over(server)], cache: false }).ready();
    const { root } = agent.skills.resolve('greet');
    assert.ok(existsSync(root));
    await agent.shutdown();
    assert.ok(!existsSync(root));
  });

  test('do nothing before they are trusted: no text, no command, no tool; one byte or another server asks again', async () => {
    using files = tree({ 'work/.git/HEAD': '' });
    const text = (greeting: string): string =>
      skillText('greet', `${greeting} !\`touch ${files.at('work/ran')}\``, 'allowed-tools: Bash(touch *)\n');
    serve({ 'greet/SKILL.md': text('Hello') });
    const open = (name = 'acme'): Promise<BareAgent> =>
      agentIn(files, { mcpServers: [over(server, name)], trustFile: files.at('trust.json') }).ready();
    const load = async (agent: BareAgent): Promise<string> => {
      const { status, question } = await agent.run({ skill: 'greet', mode: 'load' }).result;
      return `${status} ${String(question?.kind)}`;
    };
    {
      await using agent = await open();
      assert.equal(await load(agent), 'waiting approval');
      await assert.rejects(agent.session().skill('greet'), { code: 'policy.waiting' });
      assert.throws(() => agent.render('greet'), { code: 'policy.denied' });
      const skill = agent.skills.resolve('greet');
      const digest = agent.skills.digestNow(skill) ?? '';
      await openTrustBook(files.at('trust.json')).trust({ digest, name: 'greet', dir: skill.dir });
    }
    assert.ok(!existsSync(files.at('work/ran')));
    if (withoutBubblewrap === false) {
      await using trusted = await open();
      assert.equal(await load(trusted), 'done undefined');
      rmSync(files.at('work/ran'));
    }
    {
      await using other = await open('other');
      assert.equal(await load(other), 'waiting approval', 'the same bytes from another server');
    }
    serve({ 'greet/SKILL.md': text('Hallo') });
    await using changed = await open();
    assert.equal(await load(changed), 'waiting approval', 'one byte is another one');
    assert.ok(!existsSync(files.at('work/ran')));
  });
});

test('a skill of a server reads its own files and those of its server, not those of another one', async () => {
  await using server = await serveSkills(() => ({
    'greet/SKILL.md': skillText('greet'),
    'part/SKILL.md': skillText('part'),
  }));
  await using other = await serveSkills(() => ({ 'secret/SKILL.md': skillText('secret') }));
  using files = tree({ 'work/.git/HEAD': '' });
  const observed = Promise.withResolvers<readonly string[]>();
  const look = defineSkill({
    name: 'look',
    description: 'Tells what may be read.',
    run: (_input, scope) => {
      observed.resolve(scope.files.readable);
      return { status: 'done', text: 'seen' };
    },
  });
  const trustFile = files.at('trust.json');
  const models = createScriptedModel([{ calls: [{ name: 'look', input: {} }] }, 'Bye.']);
  const mcpServers = [over(server), over(other, 'other')];
  await using agent = await agentIn(files, { mcpServers, trustFile, models }).ready();
  agent.skills.register(look);
  for (const name of ['greet', 'part', 'secret']) {
    const skill = agent.skills.resolve(name);
    const digest = agent.skills.digestNow(skill) ?? '';
    await openTrustBook(trustFile).trust({ digest, name, dir: skill.dir });
  }
  const { status, error } = await agent.run({ skill: 'greet' }).result;
  assert.equal(status, 'done', JSON.stringify(error));
  const readable = (await observed.promise).filter((path) => path.includes('/servers/'));
  assert.deepEqual(readable.map((path) => basename(path)).toSorted(), ['greet', 'part']);
});

describe('a server that is started for its skills', () => {
  const modules = dirname(
    dirname(dirname(dirname(fileURLToPath(import.meta.resolve('@modelcontextprotocol/server'))))),
  );
  const at = (name: string): string => JSON.stringify(import.meta.resolve(name));
  const script = `
    import { McpServer } from ${at('@modelcontextprotocol/server')};
    import { serveStdio } from ${at('@modelcontextprotocol/server/stdio')};
    import { memorySkillFiles, SkillsExtension } from ${at('@modelcontextprotocol/server/ext/skills')};
    const text = '---\\nname: greet\\ndescription: Greets.\\n---\\nHello.\\n';
    const catalog = await SkillsExtension.load(memorySkillFiles({ 'greet/SKILL.md': text }));
    serveStdio(() => {
      const mcp = new McpServer({ name: 'skills', version: '1' });
      catalog.attach(mcp);
      return mcp;
    });`;
  const described = (files: Tree): StdioServer => ({
    kind: 'stdio',
    name: 'local',
    command: 'node',
    env: {},
    skills: true,
    args: [files.at('server.mjs')],
    read: [files.path, modules],
  });

  test('runs in a sandbox', { skip: withoutBubblewrap }, async () => {
    using files = tree({ 'work/.git/HEAD': '', 'server.mjs': script });
    await using agent = await agentIn(files, { mcpServers: [described(files)] }).ready();
    assert.deepEqual(codes(agent), []);
    assert.deepEqual(mounted(agent), ['greet local ready']);
  });

  test('and dies while it is asked is a finding', { skip: withoutBubblewrap }, async () => {
    const dying = script.replace("memorySkillFiles({ 'greet", `dieOnRead({ 'greet`);
    const helper = `let isReady = false;
      const dieOnRead = (files) => {
        const all = memorySkillFiles(files);
        return { ...all, read: (path) => (isReady ? process.exit(3) : all.read(path)) };
      };`;
    const text = dying
      .replace('const text', `${helper}\nconst text`)
      .replace('serveStdio(', 'isReady = true;\nserveStdio(');
    using files = tree({ 'work/.git/HEAD': '', 'server.mjs': text });
    await using agent = await agentIn(files, { mcpServers: [described(files)] }).ready();
    assert.deepEqual(mounted(agent), []);
    assert.deepEqual(codes(agent), ['mount.unreachable']);
    assert.match(agent.skills.diagnostics()[0]?.message ?? '', /exit code 3/);
  });

  test('is not started where nothing contains it', async () => {
    using files = tree({ 'work/.git/HEAD': '', 'server.mjs': script });
    const options = { mcpServers: [described(files)], sandboxes: createPlainSandboxes() };
    await using agent = await agentIn(files, options).ready();
    assert.deepEqual(mounted(agent), []);
    assert.deepEqual(codes(agent), ['mount.unreachable']);
  });
});

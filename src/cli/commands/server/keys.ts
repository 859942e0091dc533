import { AgentError, didYouMean, optional, type Store } from '../../../core/index.ts';
import {
  createKeyStore,
  type KeyStore,
  type ListedKey,
  type NewKey,
} from '../../../server/keys/key-store.ts';
import { isKeyScope, keyScopes, type KeyScope } from '../../../server/keys/principal.ts';
import {
  agoText,
  amount,
  oneLine,
  printJson,
  table,
  textFlag,
  wholeNumber,
  type CliCommand,
  type Column,
  type Invocation,
} from '../../command-kit.ts';
import { existingStore, openHistory, prepareStore, storeLocation } from '../../runs/run-store.ts';

const actions: Readonly<Record<string, (invocation: Invocation) => Promise<number>>> = {
  list: listKeys,
  add: addKey,
  revoke: revokeKey,
};

/** `skilled keys`: manages the keys with which clients use the server. */
export const keys: CliCommand = {
  summary: 'Add, list and revoke the keys of the server.',
  usage: `Usage: skilled keys [list] [--json]
       skilled keys add <name> [options]
       skilled keys revoke <key-name>

A key lets a client use "skilled serve". The key is shown once, when you add it; the store
of the project contains only its hash. Clients send it as "Authorization: Bearer <key>" or
"x-api-key: <key>". A revoked key stops working within a second.

  skilled keys add anna --user anna --scope runs:read --scope runs:write --days 90
  skilled keys add reports --call "report*" --cost-per-day 5 --deny Bash
  skilled keys revoke anna   the id of the key works too

  --user <id>            add: the user who owns the key; keys of one user share runs and
                         sessions
  --role <name>          add: a role of the user; can be repeated
  --scope <scope>        add: what the key may do; can be repeated; default runs:read,
                         runs:write and skills:read. All scopes: runs:read, runs:write,
                         skills:read, approvals:decide, sessions:read, admin
  --days <number>        add: the key expires after this time
  --call <skill>         add: a skill that runs may call, also a pattern such as
                         "report*"; can be repeated
  --allow <rule>         add: the only uses of tools that runs may make; can be repeated
  --deny <rule>          add: a use of tools that runs may not make; can be repeated
  --cost-per-day <usd>   add: the most that runs may cost in a day
  --tokens-per-day <n>   add: the most tokens that runs may use in a day
  --rate <number>        add: requests in a minute
  --burst <number>       add: requests at once; default: a sixth of the rate
  --max-runs <number>    add: runs in progress
  --max-connections <n>  add: open connections`,
  options: {
    user: { type: 'string' },
    role: { type: 'string', multiple: true },
    scope: { type: 'string', multiple: true },
    days: { type: 'string' },
    call: { type: 'string', multiple: true },
    allow: { type: 'string', multiple: true },
    deny: { type: 'string', multiple: true },
    'cost-per-day': { type: 'string' },
    'tokens-per-day': { type: 'string' },
    rate: { type: 'string' },
    burst: { type: 'string' },
    'max-runs': { type: 'string' },
    'max-connections': { type: 'string' },
  },
  maxArgs: 2,
  async run(invocation) {
    const [name = 'list', ...args] = invocation.args;
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (action === undefined)
      throw new AgentError('usage.bad-input', `"skilled keys" has no action "${name}".`, {
        hint: didYouMean(name, Object.keys(actions)) ?? 'Use list, add or revoke.',
      });
    const { own, lists } = invocation;
    const given = [...Object.keys(own), ...Object.keys(lists)].find(
      (flag) => Object.hasOwn(keys.options ?? {}, flag) && (own[flag] ?? lists[flag]?.[0]) !== undefined,
    );
    if (given !== undefined && name !== 'add')
      throw new AgentError('usage.bad-input', `--${given} belongs to "skilled keys add".`, {
        hint: 'Leave it out.',
      });
    return action({ ...invocation, args });
  },
};

async function addKey(invocation: Invocation): Promise<number> {
  const { flags, terminal, args } = invocation;
  const name = mustHave(args[0], 'add');
  const properties = propertiesIn(invocation, name);
  await prepareStore(invocation);
  const { key, record } = await withKeys(storeLocation(flags).where, (store) => store.add(properties));
  if (flags.json) printJson(terminal, { ok: true, key, ...record });
  else {
    terminal.out(`${key}\n`);
    if (!flags.quiet)
      terminal.err(`Store this key now: it is not shown again. It is the key "${oneLine(record.name)}".\n`);
  }
  return 0;
}

const usualScopes: readonly KeyScope[] = ['runs:read', 'runs:write', 'skills:read'];

function propertiesIn({ own, lists }: Invocation, name: string): NewKey {
  const list = (flag: string): readonly string[] | undefined =>
    lists[flag]?.length === 0 ? undefined : lists[flag];
  const [allow, deny, call] = [list('allow'), list('deny'), list('call')];
  const days = amount(own, 'days');
  const [cost, tokens] = [amount(own, 'cost-per-day'), wholeNumber(own, 'tokens-per-day', 1)];
  const [perMinute, burst] = [amount(own, 'rate'), wholeNumber(own, 'burst', 1)];
  if (burst !== undefined && perMinute === undefined)
    throw new AgentError('usage.bad-input', '--burst needs --rate.', { hint: 'Add --rate <number>.' });
  return {
    name,
    roles: list('role') ?? [],
    scopes:
      list('scope')
        ?.flatMap((text) => text.split(','))
        .map(scopeOf) ?? usualScopes,
    ...optional('user', textFlag(own, 'user')),
    ...optional('expiresAt', days === undefined ? undefined : Date.now() + days * 86_400_000),
    ...optional('skills', call),
    ...optional('permissions', (allow ?? deny) && { ...optional('allow', allow), ...optional('deny', deny) }),
    ...optional(
      'budget',
      (cost ?? tokens) === undefined
        ? undefined
        : { ...optional('cost', cost), ...optional('tokens', tokens) },
    ),
    ...optional(
      'rate',
      perMinute === undefined
        ? undefined
        : { perMinute, burst: burst ?? Math.max(1, Math.ceil(perMinute / 6)) },
    ),
    ...optional('concurrentRuns', wholeNumber(own, 'max-runs', 1)),
    ...optional('connections', wholeNumber(own, 'max-connections', 1)),
  };
}

function scopeOf(text: string): KeyScope {
  const scope = text.trim();
  if (isKeyScope(scope)) return scope;
  throw new AgentError('usage.bad-input', `"${text}" is not a scope.`, {
    hint: didYouMean(scope, keyScopes) ?? `Use one of ${keyScopes.join(', ')}.`,
  });
}

async function revokeKey({ flags, terminal, args }: Invocation): Promise<number> {
  const name = mustHave(args[0], 'revoke');
  const where = existingStore(flags);
  const revoke = (store: KeyStore): Promise<ListedKey> => store.revoke(name);
  const revoked = await (where === undefined ? revoke(noKeys) : withKeys(where, revoke));
  if (flags.json) printJson(terminal, { ok: true, revoked });
  else terminal.out(`${oneLine(`revoked ${revoked.name}`)}\n`);
  return 0;
}

// A project without a store has no keys, and listing them creates none.
const noKeys = createKeyStore({
  entries: () => Promise.resolve(new Map()),
} as unknown as Store);

const columns: readonly Column[] = [
  { title: 'NAME', most: 30 },
  { title: 'ID', isWhole: true },
  { title: 'OWNER', most: 30 },
  { title: 'SCOPES', dropOrder: 1 },
  { title: 'EXPIRES', isWhole: true, dropOrder: 3 },
  { title: 'LAST USE', isWhole: true, dropOrder: 2 },
];

async function listKeys({ flags, terminal, args }: Invocation): Promise<number> {
  if (args[0] !== undefined)
    throw new AgentError('usage.bad-input', `Unexpected argument "${args[0]}".`, { hint: 'Leave it out.' });
  const where = existingStore(flags);
  const all = await (where === undefined ? noKeys.list() : withKeys(where, (store) => store.list()));
  if (flags.json) printJson(terminal, { ok: true, keys: all });
  else if (all.length === 0) {
    if (!flags.quiet) terminal.err('There are no keys. To add one: `skilled keys add <name>`\n');
  } else {
    const now = Date.now();
    const rows = all.map(({ id, name, user, roles, scopes, expiresAt, lastUsedAt }) =>
      [
        name,
        id,
        [user ?? '', ...roles.map((role) => `(${role})`)].join(' ').trim(),
        scopes.join(' '),
        expiresAt === undefined ? 'never' : expiresAt <= now ? 'expired' : isoDay(expiresAt),
        lastUsedAt === undefined ? 'never' : agoText(now - lastUsedAt),
      ].map((text) => ({ text: oneLine(text) })),
    );
    terminal.out(table(columns, rows, terminal));
  }
  return 0;
}

function isoDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

function mustHave(name: string | undefined, action: string): string {
  if (name !== undefined) return name;
  throw new AgentError('usage.bad-input', `Missing name of the key to ${action}.`, {
    hint: `Run \`skilled keys ${action} <name>\`.`,
  });
}

async function withKeys<Result>(where: string, work: (keys: KeyStore) => Promise<Result>): Promise<Result> {
  await using agent = openHistory(where);
  return await work(createKeyStore(await agent.runs.store()));
}

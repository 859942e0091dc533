import { readAudit } from '../../../agent/runs/audit.ts';
import { AgentError, optional } from '../../../core/index.ts';
import { createKeyStore } from '../../../server/keys/key-store.ts';
import { printJson, printJsonLine, textFlag, type CliCommand, type Invocation } from '../../command-kit.ts';
import { openReading } from '../../runs/run-store.ts';

/** `skilled audit-log`: exports who asked, answered, decided and cancelled. */
export const auditLog: CliCommand = {
  summary: 'Export who asked, approved and cancelled, as JSON lines.',
  usage: `Usage: skilled audit-log [--since <time>] [--until <time>] [--user <id>] [--json]

Prints one JSON object in each line: the time (milliseconds since 1970), the run, the action (asked, answered,
allowed, denied, expired, decided-by-policy or cancelled), the user, the key and the skill.
The newest run comes first, and the entries of a run are in order. What people did at a
terminal of this machine has no user.

  skilled audit-log --since 2026-11-01 --user anna > audit.jsonl

  --since <time>  first day or time, such as 2026-11-01 or 2026-11-01T08:00:00Z; days
                  begin at midnight UTC
  --until <time>  entries before this day or time
  --user <id>     only what this user did
  --json          one document instead of lines; holds all entries in memory`,
  options: { since: { type: 'string' }, until: { type: 'string' }, user: { type: 'string' } },
  async run(invocation) {
    const { flags, own, terminal } = invocation;
    const user = textFlag(own, 'user');
    const times = { ...optional('since', timeIn(own, 'since')), ...optional('until', timeIn(own, 'until')) };
    await using agent = openReading(invocation);
    const entries: object[] = [];
    if (agent !== undefined) {
      const store = await agent.runs.store();
      const keys = await createKeyStore(store).list();
      const names = new Map(keys.map(({ id, name }) => [id, name]));
      const known = keys.flatMap((key) => key.user ?? []);
      for await (const entry of readAudit(store, { ...times, ...optional('user', user), known })) {
        const { at, run, action, client, ...rest } = entry;
        const key = client === undefined ? undefined : (names.get(client) ?? client);
        const line = { at, run, action, ...optional('key', key), ...rest };
        if (flags.json) entries.push(line);
        else printJsonLine(terminal, line);
      }
    }
    if (flags.json) printJson(terminal, { ok: true, entries });
    return 0;
  },
};

function timeIn(own: Invocation['own'], flag: string): number | undefined {
  const text = textFlag(own, flag);
  if (text === undefined) return undefined;
  const isTime = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/.test(text);
  const at = isTime ? Date.parse(text) : NaN;
  if (!Number.isNaN(at)) return at;
  throw new AgentError('usage.bad-input', `--${flag} must be a day or a time, not "${text}".`, {
    hint: `For example: --${flag} 2026-11-01, or --${flag} 2026-11-01T08:00:00Z`,
  });
}

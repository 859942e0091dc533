import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import type { SkillListing, SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import {
  AgentError,
  deadline,
  optional,
  untilAborted,
  type Issue,
  type MountRequest,
  type MountedSkills,
  type ServerPlace,
} from '../../core/index.ts';
import { jsonOf } from '../messages.ts';
import { withClient } from '../shared-connection.ts';
import {
  openShelf,
  readLastMount,
  tidyShelf,
  writeLastMount,
  type LastMount,
  type CacheFolder,
} from './cache.ts';
import { makeCopy, type SkillToCopy } from './copy.ts';
import { few, keptCopy, offersNone, refused, tooMuch, unreachable, unverified } from './issues.ts';
import { mostBytesInAll, readOffer, readOffers, readUnlisted, sizeFault, type SkillOffer } from './offers.ts';

const longestWait = 10_000; // milliseconds
const longestFresh = 3_600_000; // an hour, whatever the server says

/**
 * The skills that a server offers, as verified files in a private folder. Whatever is wrong is a finding: a skill that
 * fails a check is refused whole, and of a server that cannot be asked the last copy is used. Never throws.
 */
export async function mountServerSkills(request: MountRequest): Promise<MountedSkills> {
  const { server: name } = request;
  try {
    const place = await request.openPlace();
    const shelf = openShelf(request.folder, place);
    const last = readLastMount(shelf);
    const isFresh = last !== undefined && Date.now() < last.freshUntil && last.at <= Date.now();
    if (isFresh && !request.isAgain) return mountedAt(shelf, last);
    try {
      const now = await inTime(request, (signal) => askNow(request, place, shelf, last, signal));
      return mountedAt(shelf, now);
    } catch (thrown) {
      if (last === undefined) throw thrown;
      return mountedAt(shelf, { ...last, issues: [keptCopy(name, last.at, thrown), ...last.issues] });
    }
  } catch (thrown) {
    return { issues: [unreachable(name, thrown)] };
  }
}

function mountedAt({ folder }: CacheFolder, { copy, issues }: LastMount): MountedSkills {
  return { ...optional('root', copy === undefined ? undefined : join(folder, copy)), issues };
}

/** The signal is aborted after a while; the timer keeps the process, which may have nothing else to wait for. */
async function inTime<Result>(
  { server, signal }: MountRequest,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const message = `The server "${server}" did not give its skills within ${longestWait / 1000} seconds.`;
  using limit = deadline(longestWait, new AgentError('limit.time', message), signal);
  return await work(limit.signal);
}

async function askNow(
  request: MountRequest,
  place: ServerPlace,
  shelf: CacheFolder,
  last: LastMount | undefined,
  signal: AbortSignal,
): Promise<LastMount> {
  const now = await withClient(place, (client) => copyFrom(client, request, shelf, last, signal), signal);
  signal.throwIfAborted(); // nobody waits for it any more, and another one may have come in between
  writeLastMount(shelf, now);
  if (now.copy !== undefined) tidyShelf(shelf, now.copy);
  return now;
}

async function copyFrom(
  client: Client,
  { server: name, isDescriptor }: MountRequest,
  shelf: CacheFolder,
  last: LastMount | undefined,
  signal: AbortSignal,
): Promise<LastMount> {
  const { SkillsClient } = await import('@modelcontextprotocol/client/ext/skills');
  const skills = new SkillsClient(client, { skipInvalid: true });
  const at = Date.now();
  if (!skills.supported) return { at, freshUntil: at, issues: [offersNone(name)] };
  const listing = await withinSize(client, signal, (until) => skills.list({}, { signal: until }));
  const { offers, issues } = readOffers(name, listing.skills, isDescriptor);
  const found: Issue[] = [...invalidIn(name, listing), ...issues];
  const wanted: SkillToCopy[] = [];
  let unlisted = 0; // bytes
  for (const offer of offers) {
    const one = await wantedOf(skills, offer, name, shelf, signal);
    if (offer.files === undefined && typeof one !== 'string') unlisted += one.files[0]?.size ?? 0;
    if (unlisted > mostBytesInAll) {
      found.push(tooMuch(name, `more than ${mostBytesInAll / 1_048_576} MiB`));
      break;
    }
    if (typeof one === 'string') found.push(refused(name, `"${offer.name}"`, one));
    else wanted.push(one);
    if (offer.files === undefined && typeof one !== 'string') found.push(unverified(name, offer.name));
  }
  const copy = await makeCopy(shelf, name, wanted, last?.copy, signal);
  const failed = copy.refused.map(({ wanted: { name: skill }, why }) => refused(name, `"${skill}"`, why));
  const fresh = failed.length > 0 ? 0 : Math.min(listing.ttlMs ?? 0, longestFresh);
  return {
    ...optional('copy', copy.name),
    at,
    freshUntil: at + fresh,
    issues: few(name, [...found, ...failed]),
  };
}

function invalidIn(name: string, { invalid }: SkillListing): readonly Issue[] {
  return invalid.map(({ index, uri, reason }) =>
    refused(name, uri === undefined ? `number ${index + 1}` : `at ${uri}`, reason),
  );
}

/** What a copy shall have of an offer; of one whose files are not listed, what the server gives now. */
async function wantedOf(
  skills: SkillsClient,
  offer: SkillOffer,
  server: string,
  { identity, shownPlace }: CacheFolder,
  signal: AbortSignal,
): Promise<SkillToCopy | string> {
  const { name, entry, manifest, files } = offer;
  const from = { server, place: shownPlace, identity, uri: entry.uri };
  if (files !== undefined) {
    const read = (until: AbortSignal): ReturnType<SkillToCopy['read']> =>
      readOffer(skills, { ...offer, files }, until);
    return { name, files, read, origin: { ...from, manifest } };
  }
  const given = await readUnlisted(skills, offer, signal);
  if (typeof given === 'string') return given;
  const fault = sizeFault(given);
  if (fault !== undefined) return fault;
  const origin = { ...from, manifest: `${manifest} ${given[0]?.digest ?? ''}` };
  return { name, files: given, read: () => Promise.resolve(given), origin };
}

const most = 16 * 1024 * 1024; // characters of JSON

/** Asks a server for a list that the library reads page by page; throws `server.failed` where all of them together are too much. */
async function withinSize<Result>(
  { transport }: Client,
  signal: AbortSignal,
  ask: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  if (transport === undefined) return ask(signal);
  const stop = new AbortController();
  const until = AbortSignal.any([signal, stop.signal]);
  const hear = transport.onmessage;
  let size = 0;
  transport.onmessage = (message, extra) => {
    size += jsonOf(message).length;
    if (size > most) stop.abort(listTooLarge());
    else hear?.(message, extra);
  };
  try {
    return await untilAborted(until, ask(until));
  } finally {
    transport.onmessage = hear;
  }
}

function listTooLarge(): AgentError {
  return new AgentError('server.failed', `The list of skills has more than ${most / 1024 / 1024} MB.`, {
    hint: 'The server has to offer fewer.',
  });
}

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
  type ServerEndpoint,
} from '../../core/index.ts';
import { jsonOf } from '../messages.ts';
import { withClient } from '../shared-connection.ts';
import {
  openCacheFolder,
  readLastMount,
  tidyCacheFolder,
  writeLastMount,
  type LastMount,
  type CacheFolder,
} from './cache.ts';
import { makeCopy, type SkillToCopy } from './copy.ts';
import { few, staleCopy, offersNone, refused, tooMuch, unreachable, unverified } from './issues.ts';
import { maxBytesInAll, readOffer, readOffers, readUnlisted, sizeFault, type SkillOffer } from './offers.ts';

const longestWait = 10_000; // The time limit for mounting the skills of a server, in milliseconds.
// The maximum time for which a list of skills is used without querying the server again, one hour in
// milliseconds.
const longestFresh = 3_600_000;

/**
 * Mounts the skills of a server as verified files in a private folder. If one file of a skill fails a check,
 * rejects the entire skill. If the server cannot be queried, uses the last copy of its skills. Reports
 * problems as issues. Never throws.
 */
export async function mountServerSkills(request: MountRequest): Promise<MountedSkills> {
  const { server: name } = request;
  try {
    const endpoint = await request.resolveEndpoint();
    const cacheFolder = openCacheFolder(request.folder, endpoint);
    const last = readLastMount(cacheFolder);
    const isFresh = last !== undefined && Date.now() < last.freshUntil && last.at <= Date.now();
    if (isFresh && !request.isAgain) return mountedAt(cacheFolder, last);
    try {
      const now = await inTime(request, (signal) => askNow(request, endpoint, cacheFolder, last, signal));
      return mountedAt(cacheFolder, now);
    } catch (thrown) {
      if (last === undefined) throw thrown;
      return mountedAt(cacheFolder, { ...last, issues: [staleCopy(name, last.at, thrown), ...last.issues] });
    }
  } catch (thrown) {
    return { issues: [unreachable(name, thrown)] };
  }
}

function mountedAt({ folder }: CacheFolder, { copy, issues }: LastMount): MountedSkills {
  return { ...optional('root', copy === undefined ? undefined : join(folder, copy)), issues };
}

/** Runs a function with the time limit for mounting. Keeps the process alive until the function ends. */
async function inTime<Result>(
  { server, signal }: MountRequest,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const message = `The server "${server}" did not send its skills within ${longestWait / 1000} seconds.`;
  using limit = deadline(longestWait, new AgentError('limit.time', message), signal);
  return await work(limit.signal);
}

async function askNow(
  request: MountRequest,
  endpoint: ServerEndpoint,
  cacheFolder: CacheFolder,
  last: LastMount | undefined,
  signal: AbortSignal,
): Promise<LastMount> {
  const now = await withClient(
    endpoint,
    (client) => copyFrom(client, request, cacheFolder, last, signal),
    signal,
  );
  signal.throwIfAborted(); // If this mount was aborted, another one may have stored a newer result.
  writeLastMount(cacheFolder, now);
  if (now.copy !== undefined) tidyCacheFolder(cacheFolder, now.copy);
  return now;
}

async function copyFrom(
  client: Client,
  { server: name, isDescriptor }: MountRequest,
  cacheFolder: CacheFolder,
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
  const toCopy: SkillToCopy[] = [];
  let unlisted = 0; // The total size of the skills whose files are not listed, in bytes.
  for (const offer of offers) {
    const one = await readSkillToCopy(skills, offer, name, cacheFolder, signal);
    if (offer.files === undefined && typeof one !== 'string') unlisted += one.files[0]?.size ?? 0;
    if (unlisted > maxBytesInAll) {
      found.push(tooMuch(name, `more than ${maxBytesInAll / 1_048_576} MiB`));
      break;
    }
    if (typeof one === 'string') found.push(refused(name, `"${offer.name}"`, one));
    else toCopy.push(one);
    if (offer.files === undefined && typeof one !== 'string') found.push(unverified(name, offer.name));
  }
  const copy = await makeCopy(cacheFolder, name, toCopy, last?.copy, signal);
  const failed = copy.refused.map(({ skill: { name: skill }, why }) => refused(name, `"${skill}"`, why));
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

/** Prepares a skill for copying. If the server does not list the skill's files, downloads the skill now. */
async function readSkillToCopy(
  skills: SkillsClient,
  offer: SkillOffer,
  server: string,
  { identity, label }: CacheFolder,
  signal: AbortSignal,
): Promise<SkillToCopy | string> {
  const { name, entry, manifest, files } = offer;
  const from = { server, place: label, identity, uri: entry.uri };
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

const most = 16 * 1024 * 1024; // The maximum length of a list as JSON, in characters.

/**
 * Requests a list that the client library reads page by page. Throws `server.failed` if the total length of
 * the pages exceeds the limit.
 */
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
  return new AgentError('server.failed', `The list of skills is larger than ${most / 1024 / 1024} MB.`, {
    hint: 'The server must offer fewer skills.',
  });
}

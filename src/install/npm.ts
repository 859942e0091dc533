import { AgentError, isJsonObject, parseJson, type JsonObject } from '../core/index.ts';
import { shownName } from '../files/index.ts';
import { unpackArchive } from './archive.ts';
import { download } from './download.ts';
import { chooseVersion } from './semver.ts';
import type { SkillSource } from './source.ts';
import { refused, treeOf, type ResolvedSource, type SourceContext, type SourceTree } from './tree.ts';

type PackageSource = Extract<SkillSource, { kind: 'npm' }>;

const plainRegistry = 'https://registry.npmjs.org';
const largestDocument = 33_554_432;

/**
 * Opens a package. Its archive must have the integrity that the registry states, and with `locked` the one in
 * the lock. No script of a package runs.
 */
export async function openPackage(
  { name, range }: PackageSource,
  context: SourceContext,
  locked: ResolvedSource | undefined,
): Promise<SourceTree> {
  const registry = registryFor(name, context);
  const headers = { accept: 'application/json', ...tokenFor(registry, context) };
  const { signal } = context;
  const address = `${registry}${name.replace('/', '%2f')}`;
  const answer = await download(address, { signal, most: largestDocument, headers });
  const document = answer === undefined ? undefined : parseJson(answer.bytes.toString('utf8'));
  if (!isJsonObject(document) || !isJsonObject(document['versions']))
    throw new AgentError('source.unreachable', `The package ${name} is not in ${registry}.`, {
      hint: 'Check the name, and the registry in install.npmRegistry or in your .npmrc.',
    });
  const version = locked?.version ?? versionFor(name, range, document);
  const { tarball, integrity } = archiveOf(name, version, document['versions']);
  if (locked?.integrity !== undefined && locked.integrity !== integrity)
    throw new AgentError(
      'source.changed',
      `${name} ${version} has other content than when it was installed.`,
      {
        hint: 'Review the current version: `skilled update --dry-run`',
        details: { before: locked.integrity, after: integrity },
      },
    );
  const archive = await download(tarball, { signal, headers: tarball.startsWith(registry) ? headers : {} });
  if (archive === undefined)
    throw new AgentError('source.unreachable', `The archive of ${name} ${version} does not exist.`, {
      hint: 'Choose another version after @.',
    });
  const ssri = await import('ssri');
  if (ssri.checkData(archive.bytes, integrity) === false)
    throw refused(
      `The package ${name} ${version}`,
      'its archive does not have the integrity that the registry states',
    );
  const files = await unpackArchive(archive.bytes);
  // Everything in a package's archive is in one folder, which is usually called "package".
  const inside = files.map((file) => ({ ...file, path: file.path.replace(/^[^/]+\//, '') }));
  return treeOf(inside, { version, integrity }, name.split('/').at(-1) ?? name);
}

/** Returns the registry of a package, with a slash at the end: that of its scope, or the general one. */
function registryFor(name: string, { npmRegistry, npmConfig, environment }: SourceContext): string {
  const config = readConfig(npmConfig);
  const scope = name.startsWith('@') ? config.get(`${name.split('/', 1).join()}:registry`) : undefined;
  const general =
    npmRegistry ?? environment['npm_config_registry'] ?? config.get('registry') ?? plainRegistry;
  return `${(scope ?? general).replace(/\/+$/, '')}/`;
}

/** Returns the header with the user's token for a registry, if there is one. */
function tokenFor(
  registry: string,
  { npmConfig, environment }: SourceContext,
): Readonly<Record<string, string>> {
  const key = `${registry.replace(/^https?:/, '')}:_authToken`;
  const written = readConfig(npmConfig).get(key);
  const token = written?.replace(/\$\{(\w+)\}/g, (_, variable: string) => environment[variable] ?? '');
  return token === undefined || token === '' ? {} : { authorization: `Bearer ${token}` };
}

function readConfig(text: string): ReadonlyMap<string, string> {
  const pairs = text.split('\n').flatMap((line) => {
    const [, key, value] = /^\s*([^\s;#=][^=]*?)\s*=\s*"?(.*?)"?\s*$/.exec(line) ?? [];
    return key === undefined || value === undefined ? [] : [[key, value] as const];
  });
  return new Map(pairs);
}

function versionFor(name: string, range: string, document: JsonObject): string {
  const tags = isJsonObject(document['dist-tags']) ? document['dist-tags'] : {};
  const tagged = Object.hasOwn(tags, range) ? tags[range] : undefined;
  const versions = Object.keys(document['versions'] as JsonObject);
  const newest = tags['latest'];
  const version = typeof tagged === 'string' ? tagged : chooseVersion(versions, range);
  if (version !== undefined) return version;
  throw new AgentError('source.unreachable', `${name} has no version ${shownName(range)}.`, {
    hint: typeof newest === 'string' ? `Its newest version is ${newest}.` : 'Check the name of the package.',
  });
}

/** Returns the address and the integrity of a version's archive. */
function archiveOf(
  name: string,
  version: string,
  versions: JsonObject,
): { readonly tarball: string; readonly integrity: string } {
  const entry = Object.hasOwn(versions, version) ? versions[version] : undefined;
  const dist = isJsonObject(entry) ? entry['dist'] : undefined;
  if (!isJsonObject(dist) || typeof dist['tarball'] !== 'string')
    throw new AgentError('source.changed', `${name} ${version} is no longer in the registry.`, {
      hint: 'Review the current version: `skilled update --dry-run`',
    });
  const { tarball, integrity, shasum } = dist;
  if (typeof integrity === 'string' && /^sha(?:256|384|512)-/.test(integrity)) return { tarball, integrity };
  if (typeof shasum === 'string' && /^[0-9a-f]{40}$/.test(shasum))
    return { tarball, integrity: `sha1-${Buffer.from(shasum, 'hex').toString('base64')}` };
  throw refused(`The package ${name} ${version}`, 'the registry states no integrity');
}

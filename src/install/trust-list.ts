import { createPublicKey, verify } from 'node:crypto';
import { AgentError, isJsonObject, parseJson, type Json } from '../core/index.ts';
import type { SkillLock } from './lock-file.ts';

/** The versions of skills, by their digests, and the sources that a team trusts. */
export interface TrustList {
  readonly bundles: readonly { readonly name: string; readonly digest: string }[];
  readonly sources: readonly string[];
}

/**
 * Reads a trust list and checks its signature. Throws `policy.denied` unless one of the keys signed exactly
 * these bytes with Ed25519, and `usage.bad-input` if the list is not valid. Pure.
 */
export function readTrustList(bytes: Uint8Array, signature: string, keys: readonly string[]): TrustList {
  if (!keys.some((key) => isSignedBy(bytes, signature, key)))
    throw new AgentError('policy.denied', 'None of your trust keys signed this list.', {
      hint: 'Ask your team for its public key, check it, and add it to install.trustKeys.',
    });
  const json = parseJson(Buffer.from(bytes).toString('utf8'));
  const { version, bundles = [], sources = [], ...rest } = isJsonObject(json) ? json : {};
  const isValid =
    version === 1 &&
    Object.keys(rest).length === 0 &&
    Array.isArray(bundles) &&
    bundles.every(isBundle) &&
    Array.isArray(sources) &&
    sources.every((source) => typeof source === 'string');
  if (isValid) return { bundles, sources };
  throw new AgentError('usage.bad-input', 'The trust list is not valid.', {
    hint: 'It needs "version": 1, and "bundles" with a name and a digest each, or "sources".',
  });
}

/**
 * Returns the digests that a list grants: those that it names, and those of installed skills from its sources.
 * A source grants only the version in the lock, so an update needs the list again. Pure.
 */
export function grantsOf({ bundles, sources }: TrustList, lock: SkillLock): TrustList['bundles'] {
  const installed = [...lock].flatMap(([name, { source, digest }]) =>
    source !== undefined && sources.includes(source) ? [{ name, digest }] : [],
  );
  const named = new Set(bundles.map(({ digest }) => digest));
  return [...bundles, ...installed.filter(({ digest }) => !named.has(digest))];
}

function isBundle(bundle: Json): boolean {
  if (!isJsonObject(bundle) || Object.keys(bundle).length !== 2) return false;
  const { name, digest } = bundle;
  return typeof name === 'string' && typeof digest === 'string' && /^sha256:[0-9a-f]{64}$/.test(digest);
}

/** Whether a key signed some bytes. A key is the base64 form of its DER encoding, as `openssl` writes it. */
function isSignedBy(bytes: Uint8Array, signature: string, key: string): boolean {
  try {
    const der = Buffer.from(key.replace(/^ed25519:/, ''), 'base64');
    const open = createPublicKey({ key: der, format: 'der', type: 'spki' });
    const isEd25519 = open.asymmetricKeyType === 'ed25519';
    return isEd25519 && verify(null, bytes, open, Buffer.from(signature.trim(), 'base64'));
  } catch {
    return false; // It is not a key. No list is signed with it.
  }
}

import assert from 'node:assert/strict';
import { projectDigest, projectState, userTrustBook } from '../../src/config/trust.ts';
import type { SettingsLocations } from '../../src/config/paths.ts';

/** Trusts the project of these settings in its current state, as `skilled trust grant .` does. */
export async function trustProject(sources: SettingsLocations): Promise<void> {
  const state = projectState(sources);
  const digest = state && projectDigest(state);
  assert.ok(state !== undefined && digest !== undefined);
  await userTrustBook(sources).trustProject({ folder: state.folder, digest });
}

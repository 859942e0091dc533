import assert from 'node:assert/strict';
import { projectDigest, projectState, userTrustBook } from '../../src/config/trust.ts';
import type { SettingsPlaces } from '../../src/config/paths.ts';

/** Trusts the project of these settings as it is now, as `skilled trust grant .` does. */
export async function trustProject(places: SettingsPlaces): Promise<void> {
  const state = projectState(places);
  const digest = state && projectDigest(state);
  assert.ok(state !== undefined && digest !== undefined);
  await userTrustBook(places).trustProject({ folder: state.folder, digest });
}

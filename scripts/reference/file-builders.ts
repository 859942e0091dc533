import { settingsSchema } from '../../src/config/schema/definition.ts';
import { lockSchema } from '../../src/install/lock-file.ts';
import { buildApiPage } from './build-api-page.ts';
import { buildArchitecturePage } from './build-architecture-page.ts';
import { buildCliPage } from './build-cli-page.ts';
import { buildDescriptorsPage } from './build-descriptors-page.ts';
import { buildEcosystemsPage } from './build-ecosystems-page.ts';
import { buildErrorsPage } from './build-errors-page.ts';
import { buildEventsPage } from './build-events-page.ts';
import { buildRestPage } from './build-rest-page.ts';
import { buildSettingsPage } from './build-settings-page.ts';

/** The builders of all generated files, keyed by path relative to the project. */
export const fileBuilders: Readonly<Record<string, () => string | Promise<string>>> = {
  'schemas/settings.json': () => `${JSON.stringify(settingsSchema(), undefined, 2)}\n`,
  'schemas/lock.json': () => `${JSON.stringify(lockSchema, undefined, 2)}\n`,
  'ARCHITECTURE.md': buildArchitecturePage,
  'docs/reference/api.md': buildApiPage,
  'docs/reference/cli.md': buildCliPage,
  'docs/reference/settings.md': buildSettingsPage,
  'docs/reference/events.md': buildEventsPage,
  'docs/reference/rest.md': buildRestPage,
  'docs/reference/errors.md': buildErrorsPage,
  'docs/reference/descriptors.md': buildDescriptorsPage,
  'docs/reference/ecosystems.md': buildEcosystemsPage,
};

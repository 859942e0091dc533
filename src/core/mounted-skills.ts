import type { Issue } from './issue.ts';
import type { ServerPlace } from './tool-server.ts';

/** What it takes to have the skills of a server here. */
export interface MountRequest {
  readonly server: string;
  /** How it is reached; what it throws is a finding as well. */
  readonly openPlace: () => Promise<ServerPlace>;
  /** Where copies are kept, those of every server in a folder of its own; nobody else can read it. */
  readonly folder: string;
  /** Whether a family reads a file of this name as a descriptor. */
  readonly isDescriptor: (name: string) => boolean;
  /** Asks the server also where its last answer still counts. */
  readonly isAgain: boolean;
  readonly signal: AbortSignal;
}

/** The skills of a server as files. */
export interface MountedSkills {
  /** The folder in which they lie, in a group that is named like the server; none where there are none. */
  readonly root?: string;
  /** Skills that were refused and why, and whether this is what the server has now. */
  readonly issues: readonly Issue[];
}

import type { TrustBook } from '../policy/trust-book.ts';
import { userTrustBook } from './project-trust.ts';
import { homeFolder, userFolder } from './user-folders.ts';

/** The trust book of whoever runs this process. */
export function ownTrustBook(): TrustBook {
  return userTrustBook({ userFolder: userFolder(process.env, homeFolder()) });
}

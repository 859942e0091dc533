// The two rules of tskill.md that compare an order with its previous version. Conditions cannot do that.

interface Change {
  /** The order before the change, or null for a new order. */
  readonly value: Order | null;
  /** The order after the change. */
  readonly record: Order;
}

interface Order {
  readonly status: string;
  readonly items: readonly string[];
  readonly address: string;
}

const next: Readonly<Record<string, readonly string[]>> = {
  pending: ['processed', 'cancelled'],
  processed: ['delivered'],
  delivered: ['returned', 'exchanged'],
  cancelled: [],
  returned: [],
  exchanged: [],
};

/** The way of an order: pending, processed, delivered; cancelled, returned and exchanged are final. */
export function rule_1(changes: readonly Change[]): (string | null)[] {
  return changes.map(({ value, record }) => {
    if (value === null || value.status === record.status) return null;
    if (next[value.status]?.includes(record.status) === true) return null;
    return `A ${value.status} order cannot become ${record.status}.`;
  });
}

/** The items and the address of an order are fixed once it is no longer pending. */
export function rule_2(changes: readonly Change[]): (string | null)[] {
  return changes.map(({ value, record }) => {
    if (value === null || value.status === 'pending') return null;
    const isSame =
      value.address === record.address && JSON.stringify(value.items) === JSON.stringify(record.items);
    return isSame ? null : `The items and the address of a ${value.status} order cannot change.`;
  });
}

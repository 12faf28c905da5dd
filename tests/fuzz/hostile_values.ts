/** Throws an error that nobody expects. */
export const fails = (): never => {
  throw new Error("hostile");
};

function revoked(target: object): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

function cycle(): unknown {
  const inner: { deeper: unknown } = { deeper: null };
  inner.deeper = { inner };
  return inner;
}

class Getter {
  get kind(): never {
    return fails();
  }
  get safeParse(): never {
    return fails();
  }
}

/** Makers of values that break a careless check or message. */
export const HOSTILE: readonly (() => unknown)[] = [
  () => 5n,
  () => Symbol("s"),
  () => cycle(),
  () => Object.defineProperty({}, "kind", { get: fails, enumerable: true }),
  () => ({ toJSON: fails, toString: fails, [Symbol.toPrimitive]: fails }),
  () => ({ toString: null, valueOf: null }),
  () => revoked({}),
  () => revoked([]),
  () => revoked(() => 0),
  () => new Proxy({}, { get: fails, ownKeys: fails, has: fails }),
  () => new Proxy([], { get: fails }),
  () => new Getter(),
  () => Object.create(null),
  () => "x".repeat(1e5),
  () => ({ ["k".repeat(1e5)]: 1 }),
  () => fails,
  () => () => revoked({}),
  () => () => cycle(),
  () => () => {
    throw revoked({});
  },
  () => new Date(NaN),
  () => NaN,
  () => null,
  () => [[[5n]]],
];

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { invoiceTotals, problemOf } from './invoice-totals.ts';

test('amounts are rounded by their decimal text, half away from zero', () => {
  const totals = invoiceTotals(
    [
      { qty: 3, rate: 1.005 },
      { qty: 1, rate: 1.005 },
      { qty: 0.1, rate: 3 },
      { qty: 1e-7, rate: 5e7 },
    ],
    0,
  );
  assert.deepEqual(totals.amounts, [3.02, 1.01, 0.3, 5]);
  assert.equal(totals.net, 9.33);
  assert.equal(totals.grand, 9.33);
});

test('sums do not drift', () => {
  const lines = Array.from({ length: 1000 }, () => ({ qty: 1, rate: 0.1 }));
  assert.equal(invoiceTotals(lines, 0).net, 100);
});

test('tax is on the rounded sum, rounded once', () => {
  assert.deepEqual(invoiceTotals([{ qty: 1, rate: 10.5 }], 19), {
    amounts: [10.5],
    net: 10.5,
    tax: 2,
    grand: 12.5,
  });
  assert.equal(invoiceTotals([{ qty: 1, rate: 0.5 }], 7).tax, 0.04);
});

test('no lines make zero', () => {
  assert.deepEqual(invoiceTotals([], 19), { amounts: [], net: 0, tax: 0, grand: 0 });
});

test('whole cents stay as they are, and parts add up', () => {
  const cents = fc.integer({ min: 0, max: 10_000_000 });
  fc.assert(
    fc.property(fc.array(cents), fc.integer({ min: 0, max: 3000 }), (prices, rate) => {
      const totals = invoiceTotals(
        prices.map((price) => ({ qty: 1, rate: price / 100 })),
        rate / 100,
      );
      const net = prices.reduce((sum, price) => sum + price, 0);
      assert.deepEqual(
        totals.amounts,
        prices.map((price) => price / 100),
      );
      assert.equal(totals.net, net / 100);
      // Independent of the code under test: cents times hundredths of a percent, rounded half up.
      const tax = (net * rate * 2 + 10_000 - ((net * rate * 2 + 10_000) % 20_000)) / 20_000;
      assert.equal(totals.tax, tax / 100);
      assert.equal(totals.grand, (net + tax) / 100);
    }),
  );
});

test('negative quantities and rates are named', () => {
  assert.match(problemOf({ qty: -1, rate: 1 }) ?? '', /Quantity/);
  assert.match(problemOf({ qty: 1, rate: -0.01 }) ?? '', /Rate/);
  assert.equal(problemOf({ qty: 0, rate: 0 }), null);
});

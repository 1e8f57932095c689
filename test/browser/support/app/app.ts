import { defineMethod } from '../../../../src/document/verbs/method.ts';
import { defineApp } from '../../../../src/site/app.ts';

/** What the doctypes of the stories do at the server: a bill adds itself up. */
export default defineApp({
  name: 'stories',
  methods: {
    'stories.broken': defineMethod({
      http: ['GET'],
      run: () => Promise.reject(new Error('this method is broken')),
    }),
  },
  controllers: {
    Bill: {
      validate(doc) {
        const items = Array.isArray(doc['items']) ? doc['items'] : [];
        for (const row of items) row['amount'] = Number(row['qty']) * Number(row['rate']);
        doc['total'] = items.reduce((sum, row) => sum + Number(row['amount']), 0);
      },
    },
  },
});

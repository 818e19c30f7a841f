package fdc.evosuite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class RoundBudgetTest {
    @Test
    void roundsEndByThemselvesAndWithTheSearch() {
        RoundBudget budget = RoundBudget.counted(2, 3);
        assertFalse(budget.isFinished());
        budget.iteration(null);
        assertFalse(budget.isFinished());
        budget.iteration(null);
        assertTrue(budget.isFinished());
        assertFalse(budget.isSearchFinished());

        budget.reset();
        assertEquals(0, budget.roundGenerations());
        assertFalse(budget.isFinished());
        budget.iteration(null);
        assertEquals(1, budget.roundGenerations());
        assertTrue(budget.isFinished());
        assertTrue(budget.isSearchFinished());
    }

    @Test
    void aSearchWithoutTimeIsOver() {
        RoundBudget budget = RoundBudget.timed(60, 0);
        assertTrue(budget.isSearchFinished());
        assertTrue(budget.isFinished());
        assertFalse(RoundBudget.timed(60, 600).isFinished());
    }
}

import org.jacoco.agent.rt.IAgent;
import org.jacoco.agent.rt.RT;
import org.shop.Cart;

/** Runs each test alone, with a session of its own. */
class Tests {
    public static void main(String[] arguments) throws Exception {
        IAgent agent = RT.getAgent();
        agent.reset();
        run(agent, "org.shop.CartTest#adds", () -> new Cart().add(2, 1));
        run(agent, "org.shop.CartTest#limits", () -> new Cart().add(2, 4));
        run(agent, "org.shop.CartTest#sums", () -> {
            Cart cart = new Cart();
            cart.add(2, 3);
            if (cart.total() != 5) {
                throw new AssertionError();
            }
        });
    }

    static void run(IAgent agent, String name, Runnable test) throws Exception {
        agent.setSessionId(name);
        try {
            test.run();
        } catch (Throwable expected) {
            System.out.println(name + " fails");
        }
        agent.dump(true);
    }
}

package fdc.record;

/** Strings as JSON writes them. */
final class Json {
    private Json() {}

    static String text(String text) {
        StringBuilder json = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char letter = text.charAt(i);
            switch (letter) {
                case '"':
                    json.append("\\\"");
                    break;
                case '\\':
                    json.append("\\\\");
                    break;
                case '\n':
                    json.append("\\n");
                    break;
                case '\r':
                    json.append("\\r");
                    break;
                case '\t':
                    json.append("\\t");
                    break;
                default:
                    boolean half = Character.isSurrogate(letter) && !paired(text, i);
                    if (letter < ' ' || half) {
                        // Half a surrogate pair has no UTF-8 and, escaped, no meaning in JSON.
                        json.append(half ? "\uFFFD" : String.format("\\u%04x", (int) letter));
                    } else {
                        json.append(letter);
                    }
                    break;
            }
        }
        return json.append('"').toString();
    }

    private static boolean paired(String text, int i) {
        return Character.isHighSurrogate(text.charAt(i))
                ? i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))
                : i > 0 && Character.isHighSurrogate(text.charAt(i - 1));
    }
}

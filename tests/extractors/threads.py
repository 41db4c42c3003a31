# ruff: noqa: E501
"""Hand-made pages of threads in the forms of well-known engines, each with what surrounds posts there."""

from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True)
class Said:
    """A post as it was written."""

    author: str
    time: datetime
    text: str


THREAD = [
    Said("Ann Reed", datetime(2025, 11, 14, 8, 5, tzinfo=UTC), "Does anybody know when the tide station opens again? It was shut in May."),
    Said("old_mason", datetime(2025, 11, 14, 9, 30, tzinfo=UTC), "On Monday, they say."),
    Said("Bob", datetime(2025, 11, 15, 7, 0, tzinfo=UTC), "I was there yesterday: the new gauge hangs beside the pier, and the doors are painted."),
    Said("海边小王", datetime(2025, 11, 16, 12, 45, tzinfo=UTC), "新的验潮站星期一开放，欢迎大家参观。"),
    Said("Ann Reed", datetime(2025, 11, 16, 13, 1, tzinfo=UTC), "Thanks!"),
    Said("gull77", datetime(2025, 11, 17, 6, 10, tzinfo=UTC), "Bring a coat, the wind is fierce out there and the walk is long."),
]  # fmt: skip
TITLE = "When does the tide station open?"


def _page(body: str, title: str = TITLE) -> str:
    return (
        f"<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>{title} - Harbour Board</title></head><body>"
        f'<div class="header"><a href="/">Harbour Board</a> <a href="/search">Search</a> <a href="/login">Login</a></div>'
        f"{body}<div class='footer'>Powered by a board. All times are UTC. <a href='/contact'>Contact us</a></div></body></html>"
    )


def discuz(thread: list[Said]) -> str:
    posts = "".join(
        f"""<div id="post_{number}"><table id="pid{number}" class="plhin"><tr><td class="pls" rowspan="2"><div class="pls favatar">
<div class="pi"><div class="authi"><a href="space-uid-{number}.html" target="_blank" class="xw1">{said.author}</a></div></div>
<div class="avatar"><a href="space-uid-{number}.html"><img src="/avatar/{number}.jpg"></a></div>
<div class="tns xg2"><table><tr><th><p><a href="#">{number}</a></p>主题</th><td><p><a href="#">{number * 7}</a></p>积分</td></tr></table></div>
<p><em><a href="#">中级会员</a></em></p></div></td><td class="plc"><div class="pi"><strong><a href="#pid{number}" id="postnum{number}"><em>{place}</em><sup>#</sup></a></strong>
<div class="pti"><div class="authi"><em id="authorposton{number}">发表于 {said.time:%Y-%m-%d %H:%M:%S}</em> | <a href="?authorid={number}" rel="nofollow">只看该作者</a></div></div></div>
<div class="pct"><div class="pcb"><div class="t_fsz"><table><tr><td class="t_f" id="postmessage_{number}">{said.text}</td></tr></table></div></div></div></td></tr>
<tr><td class="plc plm"><div class="sign">潮水不等人</div></td></tr><tr><td class="pls"></td><td class="plc"><div class="po"><a class="fastre" href="#">回复</a> <a href="#">举报</a></div></td></tr></table></div>"""
        for place, (number, said) in enumerate(zip(range(901, 999), thread, strict=False), 1)
    )
    return _page(f'<div id="pt"><a href="forum.php">论坛</a> › <a href="forum-2-1.html">港口</a></div><div id="postlist" class="pl bm"><h1 class="ts"><span id="thread_subject">{TITLE}</span></h1>{posts}</div>')  # fmt: skip


def phpbb(thread: list[Said]) -> str:
    posts = "".join(
        f"""<div id="p{number}" class="post has-profile bg{number % 2 + 1}{" online" if number % 3 == 0 else ""}"><div class="inner">
<dl class="postprofile" id="profile{number}"><dt class="has-profile-rank no-avatar"><div class="avatar-container"></div><a href="./memberlist.php?mode=viewprofile&amp;u={number}" class="username">{said.author}</a></dt>
<dd class="profile-posts"><strong>Posts:</strong> <a href="./search.php?author_id={number}">{number * 3}</a></dd><dd class="profile-joined"><strong>Joined:</strong> Tue Mar 05, 2019 8:14 pm</dd></dl>
<div class="postbody"><div id="post_content{number}"><h3 {'class="first"' if place == 0 else ""}><a href="#p{number}">{"Re: " if place else ""}{TITLE}</a></h3>
<ul class="post-buttons"><li><a href="./posting.php?mode=quote&amp;p={number}" title="Reply with quote" class="button"><i></i><span>Quote</span></a></li></ul>
<p class="author"><a class="unread" href="./viewtopic.php?p={number}#p{number}" title="Post"><i></i></a><span class="responsive-hide">by <strong><a href="./memberlist.php?mode=viewprofile&amp;u={number}" class="username">{said.author}</a></strong> » </span><time datetime="{said.time.isoformat()}">{said.time:%a %b %d, %Y %I:%M %p}</time></p>
<div class="content">{said.text}</div></div></div><div class="back2top"><a href="#top" class="top" title="Top"><span class="sr-only">Top</span></a></div></div></div><hr class="divider" />"""
        for place, (number, said) in enumerate(zip(range(301, 399), thread, strict=False))
    )
    return _page(f'<h2 class="topic-title"><a href="./viewtopic.php?t=7">{TITLE}</a></h2><div class="pagination">{len(thread)} posts • Page 1 of 1</div>{posts}')  # fmt: skip


def vbulletin(thread: list[Said]) -> str:
    posts = "".join(
        f"""<li class="postbitlegacy postbit postcontainer old" id="post_{number}"><div class="posthead"><span class="postdate old"><span class="date">{said.time:%m-%d-%Y}, <span class="time">{said.time:%I:%M %p}</span></span></span>
<span class="nodecontrols"><a name="post{number}" href="showthread.php?7&amp;p={number}#post{number}" class="postcounter">#{place}</a></span></div>
<div class="postdetails"><div class="userinfo"><div class="username_container"><div class="popupmenu memberaction"><a class="username offline popupctrl" href="member.php?{number}" title="{said.author} is offline"><strong>{said.author}</strong></a></div><span class="usertitle">Senior Member</span></div>
<dl class="userinfo_extra"><dt>Join Date</dt><dd>Mar 2009</dd><dt>Posts</dt><dd>1,{number}</dd></dl></div>
<div class="postbody"><div class="postrow"><h2 class="title icon">{"Re: " if place > 1 else ""}{TITLE}</h2><div class="content"><div id="post_message_{number}"><blockquote class="postcontent restore">{said.text}</blockquote></div></div></div></div></div>
<div class="postfoot"><a class="newreply" href="newreply.php?do=newreply&amp;p={number}">Reply With Quote</a></div></li>"""
        for place, (number, said) in enumerate(zip(range(501, 599), thread, strict=False), 1)
    )
    return _page(f'<div id="pagetitle"><h1>Thread: <span class="threadtitle"><a href="showthread.php?7">{TITLE}</a></span></h1></div><div id="postlist"><ol id="posts" class="posts">{posts}</ol></div>')  # fmt: skip


def xenforo(thread: list[Said]) -> str:
    posts = "".join(
        f"""<article class="message message--post js-post js-inlineModContainer" data-author="{said.author}" data-content="post-{number}" id="js-post-{number}" itemscope itemtype="https://schema.org/Comment">
<span class="u-anchorTarget" id="post-{number}"></span><div class="message-inner"><div class="message-cell message-cell--user"><section class="message-user"><div class="message-userDetails"><h4 class="message-name"><a href="/members/m.{number}/" class="username" itemprop="name">{said.author}</a></h4><h5 class="userTitle message-userTitle">Well-known member</h5></div>
<div class="message-userExtras"><dl class="pairs"><dt>Joined</dt><dd>Mar 5, 2012</dd></dl><dl class="pairs"><dt>Messages</dt><dd>{number * 2}</dd></dl></div></section></div>
<div class="message-cell message-cell--main"><div class="message-main"><header class="message-attribution"><ul class="message-attribution-main"><li class="u-concealed"><a href="/threads/t.7/post-{number}" rel="nofollow"><time class="u-dt" datetime="{said.time.isoformat()}" title="{said.time:%b %d, %Y at %I:%M %p}">{said.time:%b %d, %Y}</time></a></li></ul><ul class="message-attribution-opposite"><li><a href="/threads/t.7/post-{number}" rel="nofollow">#{place}</a></li></ul></header>
<div class="message-content"><div class="message-userContent"><article class="message-body"><div class="bbWrapper">{said.text}</div></article></div></div>
<footer class="message-footer"><div class="message-actionBar"><a href="#" class="actionBar-action">Like</a> <a href="#" class="actionBar-action">Reply</a></div></footer></div></div></div></article>"""
        for place, (number, said) in enumerate(zip(range(701, 799), thread, strict=False), 1)
    )
    return _page(f'<div class="p-title"><h1 class="p-title-value">{TITLE}</h1></div><div class="p-description"><ul><li><a href="/members/m.701/" class="username">Ann Reed</a></li><li><time datetime="2025-11-14T08:05:00+00:00">Nov 14, 2025</time></li></ul></div><div class="block-body js-replyNewMessageContainer">{posts}</div>')  # fmt: skip


def discourse(thread: list[Said]) -> str:
    posts = "".join(
        f"""<div id='post_{place}' itemprop='{"mainEntity" if place == 1 else "comment"}' itemscope itemtype='http://schema.org/{"DiscussionForumPosting" if place == 1 else "Comment"}' class='topic-body crawler-post'>
<div class='crawler-post-meta'><span class="creator" itemprop="author" itemscope itemtype="http://schema.org/Person"><a itemprop="url" rel='nofollow' href='/u/u{place}'><span itemprop='name'>{said.author}</span></a></span>
<link itemprop="mainEntityOfPage" href="/t/7"><span class="crawler-post-infos"><time itemprop='datePublished' datetime='{said.time.isoformat()}' class='post-time'>{said.time:%B %d, %Y, %I:%M%p}</time><meta itemprop='dateModified' content='2025-11-09T00:00:00Z'><span itemprop='position'>{place}</span></span></div>
<div class='post' itemprop='text'><p>{said.text}</p></div><div itemprop="interactionStatistic" itemscope><span itemprop="userInteractionCount" content="2">2 Likes</span></div></div>"""
        for place, said in enumerate(thread, 1)
    )
    return _page(f'<div id="topic-title"><h1><a href="/t/7">{TITLE}</a></h1><div class="topic-category"><a href="/c/harbour">harbour</a></div></div><div itemscope itemtype="http://schema.org/DiscussionForumPosting">{posts}</div>')  # fmt: skip


def _exchange_post(said: Said, number: int) -> str:
    kind = "question" if number == 1 else "answer"
    signature = f"""<div class="post-signature owner flex--item"><div class="user-info"><div class="user-action-time">{"asked" if number == 1 else "answered"} <span title="{said.time:%Y-%m-%d %H:%M:%SZ}" class="relativetime">{said.time:%b %d} at {said.time:%H:%M}</span></div><div class="user-gravatar32"><a href="/users/{number}/u"><img src="/g.png"></a></div><div class="user-details" itemprop="author" itemscope itemtype="http://schema.org/Person"><a href="/users/{number}/u">{said.author}</a><span class="d-none" itemprop="name">{said.author}</span><div class="-flair"><span class="reputation-score" title="reputation score">1,{number}31</span></div></div></div></div>"""
    return f"""<div id="{kind}{"" if number == 1 else f"-{number}"}" class="{kind} js-{kind}" data-{kind}id="{number}"><div class="post-layout"><div class="votecell post-layout--left"><div class="js-vote-count">{number * 3}</div></div>
<div class="{"post" if number == 1 else "answer"}cell post-layout--right"><div class="s-prose js-post-body" itemprop="text"><p>{said.text}</p></div><div class="mt24"><div class="js-post-menu"><a href="/q/{number}" class="js-share-link">Share</a> <a href="/posts/{number}/edit">Improve this {kind}</a></div>{signature}</div></div>"""


def stack_exchange(thread: list[Said]) -> str:
    comments = "".join(
        f"""<li id="comment-{number}" class="comment js-comment"><div class="js-comment-actions comment-actions"></div><div class="comment-text js-comment-text-and-form"><div class="comment-body"><span class="comment-copy">{said.text}</span> – <a href="/users/{number}/u" title="1,2{number} reputation" class="comment-user">{said.author}</a> <span class="comment-date"><a class="comment-link" href="#comment{number}_1"><span title="{said.time:%Y-%m-%d %H:%M:%SZ}, License: CC BY-SA 4.0" class="relativetime-clean">{said.time:%b %d} at {said.time:%H:%M}</span></a></span></div></div></li>"""
        for number, said in ((11, thread[1]), (12, thread[2]))
    )
    answers = "".join(f"{_exchange_post(said, number)}</div></div>" for number, said in enumerate(thread[3:], 2))
    question = f'{_exchange_post(thread[0], 1)}<div class="comments js-comments-container"><ul class="comments-list">{comments}</ul></div></div></div>'  # fmt: skip
    return _page(f'<div id="question-header"><h1><a href="/questions/1" class="question-hyperlink">{TITLE}</a></h1></div><div id="mainbar">{question}<div id="answers"><h2>{len(thread) - 3} Answers</h2>{answers}</div></div>')  # fmt: skip


def hacker_news(thread: list[Said]) -> str:
    comments = "".join(
        f"""<tr class="athing comtr" id="{number}"><td><table border="0"><tr><td class="ind" indent="{number % 3}"><img src="s.gif" height="1" width="{number % 3 * 40}"></td><td valign="top" class="votelinks"><center><a id="up_{number}" href="vote?id={number}"><div class="votearrow" title="upvote"></div></a></center></td>
<td class="default"><div style="margin-top:2px"><span class="comhead"><a href="user?id={said.author}" class="hnuser">{said.author}</a> <span class="age" title="{said.time:%Y-%m-%dT%H:%M:%S} 1790000000"><a href="item?id={number}">2 days ago</a></span> <span class="navs"> | <a href="#{number}" class="clicky">parent</a> | <a href="#{number + 1}" class="clicky">next</a></span></span></div><br><div class="comment"><div class="commtext c00">{said.text}</div><div class="reply"><p><font size="1"><u><a href="reply?id={number}">reply</a></u></font></div></div></td></tr></table></td></tr>"""
        for number, said in zip(range(4001, 4099), thread[1:], strict=False)
    )
    first = thread[0]
    opening = f"""<table class="fatitem" border="0"><tr class="athing submission" id="4000"><td class="title"><span class="rank"></span></td><td class="title"><span class="titleline"><a href="item?id=4000">{TITLE}</a></span></td></tr>
<tr><td colspan="2"></td><td class="subtext"><span class="subline"><span class="score" id="score_4000">12 points</span> by <a href="user?id={first.author}" class="hnuser">{first.author}</a> <span class="age" title="{first.time:%Y-%m-%dT%H:%M:%S} 1790000000"><a href="item?id=4000">3 days ago</a></span> | <a href="hide?id=4000">hide</a> | <a href="item?id=4000">{len(thread) - 1}&nbsp;comments</a></span></td></tr><tr><td colspan="2"></td><td><div class="toptext">{first.text}</div></td></tr></table>"""
    return _page(f'<center><table id="hnmain"><tr><td>{opening}<br><table class="comment-tree">{comments}</table></td></tr></table></center>')  # fmt: skip


def reddit(thread: list[Said]) -> str:
    def thing(said: Said, number: int, child: str) -> str:
        return f"""<div class="thing id-t1_{number} noncollapsed comment" id="thing_t1_{number}" data-fullname="t1_{number}" data-author="{said.author}"><p class="parent"><a name="{number}"></a></p><div class="midcol unvoted"><div class="arrow up"></div></div>
<div class="entry unvoted"><p class="tagline"><a href="javascript:void(0)" class="expand">[–]</a><a href="/user/{said.author}" class="author may-blank">{said.author}</a> <span class="score unvoted" title="{number}">{number} points</span> <time title="{said.time:%a %b %d %H:%M:%S %Y} UTC" datetime="{said.time.isoformat()}" class="live-timestamp">2 days ago</time></p>
<form action="#" class="usertext"><div class="usertext-body may-blank-within md-container"><div class="md"><p>{said.text}</p></div></div></form><ul class="flat-list buttons"><li class="first"><a href="/r/h/{number}" class="bylink">permalink</a></li><li><a class="embed-comment">embed</a></li><li><a href="#">save</a></li></ul></div><div class="child">{child}</div></div>"""

    nested = thing(thread[2], 32, f'<div class="sitetable listing">{thing(thread[3], 33, "")}</div>')
    comments = thing(thread[1], 31, f'<div class="sitetable listing">{nested}</div>')
    comments += "".join(thing(said, number, "") for number, said in enumerate(thread[4:], 34))
    first = thread[0]
    opening = f"""<div class="thing id-t3_30 link self" id="thing_t3_30" data-author="{first.author}"><div class="midcol unvoted"><div class="score unvoted">44</div></div><div class="entry unvoted"><div class="top-matter"><p class="title"><a class="title may-blank" href="/r/h/30/">{TITLE}</a> <span class="domain">(self.harbour)</span></p><p class="tagline">submitted <time title="{first.time:%a %b %d %H:%M:%S %Y} UTC" datetime="{first.time.isoformat()}" class="live-timestamp">3 days ago</time> by <a href="/user/a" class="author may-blank">{first.author}</a></p><ul class="flat-list buttons"><li><a href="/r/h/30/" class="comments">{len(thread) - 1} comments</a></li></ul></div><div class="expando"><form class="usertext"><div class="usertext-body"><div class="md"><p>{first.text}</p></div></div></form></div></div></div>"""
    return _page(f'<div class="content" role="main"><div id="siteTable" class="sitetable linklisting">{opening}</div><div class="commentarea"><div class="panestack-title">all comments</div><div class="sitetable nestedlisting">{comments}</div></div></div>')  # fmt: skip


def tieba(thread: list[Said]) -> str:
    posts = "".join(
        f"""<div class="l_post l_post_bright j_l_post clearfix" data-pid="{number}" data-field='{{"content":{{"post_id":{number},"post_no":{place}}}}}'><div class="d_author"><ul class="p_author"><li class="icon"><a class="p_author_face" href="/home/main?un={place}"><img src="/p.jpg"></a></li><li class="d_name"><a class="p_author_name j_user_card" href="/home/main?un={place}" target="_blank">{said.author}</a></li><li class="l_badge"><div class="p_badge"><a href="#"><div class="d_badge_title">港口居民</div><div class="d_badge_lv">{place + 3}</div></a></div></li></ul></div>
<div class="d_post_content_main"><div class="p_content"><cc><div id="post_content_{number}" class="d_post_content j_d_post_content clearfix">{said.text}</div></cc></div><div class="core_reply j_lzl_wrapper"><div class="core_reply_tail"><div class="post-tail-wrap"><span class="tail-info">来自<a href="#">Android客户端</a></span><span class="tail-info">{place}楼</span><span class="tail-info">{said.time:%Y-%m-%d %H:%M}</span></div><ul class="p_reply"><li><a href="#" class="lzl_link_unfold">回复</a></li></ul></div></div></div></div>"""
        for place, (number, said) in enumerate(zip(range(80001, 80099), thread, strict=False), 1)
    )
    return _page(f'<div class="core_title"><h3 class="core_title_txt">{TITLE}</h3></div><div class="p_postlist" id="j_p_postlist">{posts}</div>')  # fmt: skip


def fluxbb(thread: list[Said]) -> str:
    posts = "".join(
        f"""<div id="p{number}" class="blockpost row{"odd" if place % 2 else "even"}{" blockpost1" if place == 1 else ""}"><h2><span><span class="conr">#{place}</span> <a href="viewtopic.php?pid={number}#p{number}">{said.time:%Y-%m-%d %H:%M:%S}</a></span></h2>
<div class="box"><div class="inbox"><div class="postbody"><div class="postleft"><dl><dt><strong>{said.author}</strong></dt><dd class="usertitle"><strong>Member</strong></dd><dd><span>Registered: 2019-03-05</span></dd><dd><span>Posts: {number}</span></dd></dl></div>
<div class="postright"><h3>{"Re: " if place > 1 else ""}{TITLE}</h3><div class="postmsg"><p>{said.text}</p></div></div></div></div>
<div class="inbox"><div class="postfoot clearb"><div class="postfootleft"><p><span>Offline</span></p></div></div></div></div></div>"""
        for place, (number, said) in enumerate(zip(range(701, 799), thread, strict=False), 1)
    )
    return _page(f'<div id="punviewtopic" class="pun"><div class="linkst"><ul class="crumbs"><li><a href="index.php">Index</a></li><li><strong>{TITLE}</strong></li></ul><p class="postlink">You must login or register to post a reply</p></div>{posts}</div>')  # fmt: skip


def smf(thread: list[Said]) -> str:
    posts = "".join(
        f"""<div class="windowbg" id="msg{number}"><div class="post_wrapper"><div class="poster"><h4><a href="index.php?action=profile;u={number}" title="View the profile of {said.author}">{said.author}</a></h4>
<ul class="user_info"><li class="membergroup">Full Member</li><li class="postcount">Posts: {number}</li></ul></div><div class="postarea"><div class="keyinfo"><div class="postinfo">
<a href="index.php?topic=7.msg{number}#msg{number}" title="Reply #{place} - Re: {TITLE}" class="smalltext">{said.time:%B %d, %Y, %I:%M:%S %p}</a></div></div>
<div class="post"><div class="inner" id="msg_{number}">{said.text}</div></div></div></div></div><hr class="post_separator">"""
        for place, (number, said) in enumerate(zip(range(801, 899), thread, strict=False))
    )
    return _page(f'<div id="display_head"><h2>{TITLE}</h2><p>Started by {thread[0].author}, {thread[0].time:%B %d, %Y}</p></div><div id="forumposts">{posts}</div>')  # fmt: skip


def mumbling(thread: list[Said]) -> str:
    """A board without links to users and with generated names of classes: the name stands as text beside the time."""
    posts = "".join(
        f"""<div class="css-k3x9 relative" id="{number}"><div class="css-7ahq"><div class="css-p01">{said.author} ·<span class="css-p02"> {said.time:%d/%m/%Y %H:%M} </span></div></div>
<div class="css-z9" id="reply-{number}"><p>{said.text}</p></div><div class="css-w4"><button>Reply</button><button>Share</button></div></div>"""
        for number, said in zip(range(91101, 91199), thread, strict=False)
    )
    return _page(f'<h1>{TITLE}</h1><div class="css-0aa">{posts}</div>').replace("lang=en", "lang=en-GB")


def flarum(thread: list[Said]) -> str:
    """A board whose page without scripts shows no times."""
    posts = "".join(
        f'<div id="p{number}"><div class="PostUser"><h3 class="PostUser-name">{said.author}</h3></div><div class="Post-body"><p>{said.text}</p></div></div><hr>'
        for number, said in zip(range(61, 99), thread, strict=False)
    )
    return _page(f'<div class="container"><h1>{TITLE}</h1>{posts}<a href="/d/7?page=2">Next Page</a></div>')


ENGINES = {
    each.__name__: each
    for each in (discuz, phpbb, vbulletin, xenforo, discourse, stack_exchange, hacker_news, reddit, tieba, smf)
}
